"""Reads derived results of the folder given, and prints as JSON what their readers make of them."""
import csv
import json
import sys

import polars
import pyarrow as pa
import pyarrow.parquet

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
    return {'batches': [batch.num_rows for batch in batches], **described(table)}


def parquet(name):
    return described(pa.parquet.read_table(f'{folder}/{name}'))


def described(table):
    table.validate(full=True)
    extension = b'ARROW:extension:name'
    return {
        'metadata': {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()},
        'types': [str(field.type) for field in table.schema],
        'nullable': [field.nullable for field in table.schema],
        'extensions': [(field.metadata or {}).get(extension, b'').decode() for field in table.schema],
        'rows': [[plain(value) for value in row.values()] for row in table.slice(0, 10).to_pylist()],
    }


def polars_rows(frame):
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
    'polars': polars_rows(polars.read_ipc_stream(f'{folder}/narrow.arrows')),
    'parquet': parquet('all.parquet'),
    'empty_parquet': parquet('empty.parquet'),
    'polars_parquet': polars_rows(polars.read_parquet(f'{folder}/all.parquet')),
    'records': {'arrow': arrow('records.arrows'), 'parquet': parquet('records.parquet')},
    'polars_records': {
        'arrow': polars_rows(polars.read_ipc_stream(f'{folder}/records.arrows')),
        'parquet': polars_rows(polars.read_parquet(f'{folder}/records.parquet')),
    },
}))
