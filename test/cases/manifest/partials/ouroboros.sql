{{> ouroboros}}
