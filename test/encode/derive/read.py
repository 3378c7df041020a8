"""Reads derived results of the folder given, and prints as JSON what their readers make of them."""
import csv
import json
import sys

import polars
import pyarrow as pa

folder = sys.argv[1]


def plain(value):
    """Values of Python that JSON has none of, by their exact text."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float) and (value != value or abs(value) == float('inf')):
        return str(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return str(value)


def arrow(name):
    with pa.ipc.open_stream(f'{folder}/{name}') as reader:
        batches = list(reader)
        table = pa.Table.from_batches(batches, reader.schema)
    table.validate(full=True)
    extension = b'ARROW:extension:name'
    return {
        'metadata': {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()},
        'types': [str(field.type) for field in table.schema],
        'nullable': [field.nullable for field in table.schema],
        'extensions': [(field.metadata or {}).get(extension, b'').decode() for field in table.schema],
        'batches': [batch.num_rows for batch in batches],
        'rows': [[plain(value) for value in row.values()] for row in table.slice(0, 10).to_pylist()],
    }


def polars_arrow(name):
    frame = polars.read_ipc_stream(f'{folder}/{name}')
    return {'height': frame.height, 'rows': [[plain(value) for value in row] for row in frame.head(10).rows()]}


with open(f'{folder}/all.csv', newline='', encoding='utf-8') as file:
    csv_rows = list(csv.reader(file))
texts = polars.read_csv(f'{folder}/all.csv', infer_schema=False)
with open(f'{folder}/all.ndjson', encoding='utf-8') as file:
    ndjson_rows = [json.loads(line) for line in file]

print(json.dumps({
    'csv': csv_rows,
    'polars_csv': [list(row) for row in texts.rows()],
    'ndjson': ndjson_rows,
    'arrow': arrow('all.arrows'),
    'empty': arrow('empty.arrows'),
    'long': arrow('long.arrows')['batches'],
    'polars': polars_arrow('narrow.arrows'),
}))
