amuont
