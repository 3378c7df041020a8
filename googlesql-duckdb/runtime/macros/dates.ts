/**
 * Macros of the date and time family. DuckDB's functions of TIMESTAMPTZ use a calendar of the session's time zone and take a
 * hundred nanoseconds per row. The macros use arithmetic on microseconds since 1970 instead, which takes five nanoseconds.
 */
import { FIRST_DAY, LAST_DAY } from '../../../googlesql/values/civil-date.js'
import { MAX_TIMESTAMP_MICROS, MIN_TIMESTAMP_MICROS } from '../../../googlesql/values/civil-text.js'

/** More microseconds than the range of INTERVAL and of TIMESTAMP: a larger count can never give a valid result. */
const WIDEST_MICROS = '400000000000000000'
const DAY_MICROS = '86400000000'
const A_MILLION_DAYS = `${DAY_MICROS}000000`

const outOfRange = (micros: string) => `${micros} NOT BETWEEN ${MIN_TIMESTAMP_MICROS} AND ${MAX_TIMESTAMP_MICROS}`

const TIMESTAMP_RANGE =
  'Timestamp value is out of allowed range: from 0001-01-01 00:00:00.000000+00 to 9999-12-31 23:59:59.999999+00.'
const DATETIME_RANGE = 'Datetime value is out of allowed range: from 0001-01-01 00:00:00 to 9999-12-31 23:59:59.999999'

const CONVERSIONS = [
  // The civil time of a TIMESTAMP in UTC, as a DATETIME, and the reverse.
  'bq_utc(ts) AS make_timestamp(epoch_us(ts))',
  'bq_from_utc(dt) AS make_timestamptz(epoch_us(dt))',
  "bq_days(d) AS (d - DATE '1970-01-01')",
  `bq_date(days) AS CASE WHEN days NOT BETWEEN ${FIRST_DAY} AND ${LAST_DAY}
     THEN bq_raise('Date value is out of allowed range: from 0001-01-01 to 9999-12-31.') ELSE DATE '1970-01-01' + TRY_CAST(days AS INTEGER) END`,
  `bq_timestamp(us) AS CASE WHEN ${outOfRange('us')}
     THEN bq_raise('${TIMESTAMP_RANGE}')
     ELSE make_timestamptz(us) END`,
  `bq_datetime(us) AS CASE WHEN ${outOfRange('us')}
     THEN bq_raise('${DATETIME_RANGE}') ELSE make_timestamp(us) END`,
  // Moves a time by `delta` microseconds. A time that is not between `first` and `last` would be out of range after the move.
  `bq_timestamp_moved(ts, first, last, delta) AS CASE WHEN epoch_us(ts) NOT BETWEEN first AND last
     THEN bq_raise('${TIMESTAMP_RANGE}') ELSE make_timestamptz(epoch_us(ts) + delta) END`,
  `bq_datetime_moved(dt, first, last, delta) AS CASE WHEN epoch_us(dt) NOT BETWEEN first AND last
     THEN bq_raise('${DATETIME_RANGE}') ELSE make_timestamp(epoch_us(dt) + delta) END`,
  'bq_floor_to(x, n) AS (x - ((x % n) + n) % n)',
  // Truncates microseconds since 1970 to a part of a day. Adding a million days makes every value positive, since a million days
  // before 1970 is before the year 1. `x` occurs once, since it is often a long expression.
  `bq_floor_part(x, n) AS ((x + ${A_MILLION_DAYS}) // n * n - ${A_MILLION_DAYS})`,
  'bq_floor_div(x, n) AS ((x - ((x % n) + n) % n) // n)',
  // The fraction of a second as CAST to STRING writes it: a point with three or six digits; '' if the fraction is zero.
  `bq_fraction_text(us) AS CASE WHEN us % 1000000 = 0 THEN '' WHEN us % 1000 = 0
     THEN '.' || bq_padded(((us % 1000000 + 1000000) % 1000000) // 1000, 3)
     ELSE '.' || bq_padded((us % 1000000 + 1000000) % 1000000, 6) END`,
  `bq_datetime_text(dt) AS (strftime(dt, '%Y-%m-%d %H:%M:%S') || bq_fraction_text(epoch_us(dt)))`,
  `bq_timestamp_text(ts) AS (bq_datetime_text(bq_utc(ts)) || '+00')`,
  `bq_time_text(t) AS bq_time_of_day_text(epoch_us(t))`,
  `bq_time_of_day_text(us) AS (strftime(make_timestamp(us), '%H:%M:%S') || bq_fraction_text(us))`,
  'bq_time(us) AS CAST(make_timestamp(us) AS TIME)',
]

const CONSTRUCTORS = [
  `bq_padded(n, width) AS lpad(CAST(n AS VARCHAR), width, '0')`,
  // The number in the notation of printf's %0*d: a number that is longer than `width` is not cut.
  `bq_shown_part(n, width) AS CASE WHEN n < 0 THEN '-' ELSE '' END || lpad(ltrim(CAST(n AS VARCHAR), '-'), CAST(greatest(width - CASE WHEN n < 0 THEN 1 ELSE 0 END, length(ltrim(CAST(n AS VARCHAR), '-'))) AS INTEGER), '0')`,
  `bq_make_date(y, m, d) AS CASE WHEN y IS NULL OR m IS NULL OR d IS NULL THEN NULL
     WHEN y NOT BETWEEN 1 AND 9999 OR m NOT BETWEEN 1 AND 12 OR d NOT BETWEEN 1 AND 31 THEN bq_raise('Input calculates to invalid date: ' || bq_shown_part(y, 4) || '-' || bq_shown_part(m, 2) || '-' || bq_shown_part(d, 2))
     WHEN d > day(last_day(make_date(y, m, 1))) THEN bq_raise('Input calculates to invalid date: ' || bq_shown_part(y, 4) || '-' || bq_shown_part(m, 2) || '-' || bq_shown_part(d, 2))
     ELSE make_date(y, m, d) END`,
  `bq_make_time(h, m, s) AS CASE WHEN h NOT BETWEEN 0 AND 23 OR m NOT BETWEEN 0 AND 59 OR s NOT BETWEEN 0 AND 60
     THEN bq_raise('Input calculates to invalid time: ' || bq_shown_part(h, 2) || ':' || bq_shown_part(m, 2) || ':' || bq_shown_part(s, 2))
     ELSE bq_time((h * 3600 + m * 60 + s) * 1000000 % ${DAY_MICROS}) END`,
  `bq_make_datetime(y, mo, d, h, mi, s) AS CASE WHEN h NOT BETWEEN 0 AND 23 OR mi NOT BETWEEN 0 AND 59 OR s NOT BETWEEN 0 AND 60
     THEN bq_raise('Input calculates to invalid datetime: ' || bq_shown_part(y, 4) || '-' || bq_shown_part(mo, 2) || '-' || bq_shown_part(d, 2) || ' ' || bq_shown_part(h, 2) || ':' || bq_shown_part(mi, 2) || ':' || bq_shown_part(s, 2))
     ELSE bq_datetime(bq_days(bq_make_date(y, mo, d)) * ${DAY_MICROS} + (h * 3600 + mi * 60 + s) * 1000000) END`,
]

const ARITHMETIC = [
  // Adds n units; one unit is `unit` days, months or microseconds. `said` is the beginning of the error message, before the
  // value.
  `bq_date_add_days(d, n, unit, said) AS CASE WHEN n NOT BETWEEN -4000000 AND 4000000 THEN bq_raise(said || d || ' causes overflow')
     WHEN bq_days(d) + n * unit NOT BETWEEN ${FIRST_DAY} AND ${LAST_DAY} THEN bq_raise(said || d || ' causes overflow')
     ELSE d + TRY_CAST(n * unit AS INTEGER) END`,
  `bq_date_add_months(d, n, unit, said) AS CASE WHEN n NOT BETWEEN -120000 AND 120000 THEN bq_raise(said || d || ' causes overflow')
     WHEN year(d) * 12 + month(d) - 1 + n * unit NOT BETWEEN 12 AND 119999 THEN bq_raise(said || d || ' causes overflow')
     ELSE CAST(d + to_months(TRY_CAST(n * unit AS INTEGER)) AS DATE) END`,
  `bq_datetime_add(dt, n, unit, sgn, said) AS make_timestamp(
     CASE WHEN n NOT BETWEEN -(${WIDEST_MICROS} // unit) AND ${WIDEST_MICROS} // unit THEN bq_overflow(said, epoch_us(dt), '')
     WHEN ${outOfRange('epoch_us(dt) + n * unit * sgn')} THEN bq_overflow(said, epoch_us(dt), '')
     ELSE epoch_us(dt) + n * unit * sgn END)`,
  `bq_datetime_add_months(dt, n, unit, said) AS CASE WHEN n NOT BETWEEN -120000 AND 120000 THEN list_extract([NULL], bq_overflow(said, epoch_us(dt), ''))
     WHEN year(dt) * 12 + month(dt) - 1 + n * unit NOT BETWEEN 12 AND 119999 THEN list_extract([NULL], bq_overflow(said, epoch_us(dt), ''))
     ELSE dt + to_months(TRY_CAST(n * unit AS INTEGER)) END`,
  // Adds a literal number of microseconds. Queries of logs do this often; this macro is planned faster than the general one.
  `bq_datetime_shift(dt, delta, said) AS make_timestamp(
     CASE WHEN ${outOfRange('epoch_us(dt) + delta')} THEN bq_overflow(said, epoch_us(dt), '') ELSE epoch_us(dt) + delta END)`,
  `bq_timestamp_shift(ts, delta, said) AS make_timestamptz(
     CASE WHEN ${outOfRange('epoch_us(ts) + delta')} THEN bq_overflow(said, epoch_us(ts), '+00') ELSE epoch_us(ts) + delta END)`,
  `bq_timestamp_add(ts, n, unit, sgn, said) AS make_timestamptz(
     CASE WHEN n NOT BETWEEN -(${WIDEST_MICROS} // unit) AND ${WIDEST_MICROS} // unit THEN bq_overflow(said, epoch_us(ts), '+00')
     WHEN ${outOfRange('epoch_us(ts) + n * unit * sgn')} THEN bq_overflow(said, epoch_us(ts), '+00')
     ELSE epoch_us(ts) + n * unit * sgn END)`,
  // Times of day wrap around at midnight.
  `bq_time_add(t, n, unit, sgn) AS bq_time(((epoch_us(t) + n % (${DAY_MICROS} // unit) * unit * sgn) % ${DAY_MICROS} + ${DAY_MICROS}) % ${DAY_MICROS})`,
  `bq_scaled_timestamp(n, unit) AS CASE WHEN n NOT BETWEEN ${MIN_TIMESTAMP_MICROS} // unit AND ${MAX_TIMESTAMP_MICROS} // unit
     THEN bq_raise('Input value ' || n || ' is out of the range of TIMESTAMP') ELSE make_timestamptz(n * unit) END`,
  `bq_add_months(d, n) AS CASE WHEN d = last_day(d) THEN last_day(bq_date_add_months(d, n, 1, 'Adding ' || n || ' MONTH to date '))
     ELSE bq_date_add_months(d, n, 1, 'Adding ' || n || ' MONTH to date ') END`,
  `bq_datetime_add_whole_months(dt, n) AS make_timestamp(
     epoch_us(CAST(bq_add_months(CAST(dt AS DATE), n) AS TIMESTAMP)) + epoch_us(dt) - epoch_us(date_trunc('day', dt)))`,
  `bq_months_between(a, b) AS ((year(a) - year(b)) * 12 + (month(a) - month(b)) +
     CASE WHEN day(a) = day(b) OR (CAST(a AS DATE) = last_day(a) AND CAST(b AS DATE) = last_day(b)) THEN 0.0::DOUBLE
     ELSE ((epoch_us(a) - epoch_us(date_trunc('month', a))) - (epoch_us(b) - epoch_us(date_trunc('month', b)))) / (31 * ${DAY_MICROS}.0::DOUBLE) END)`,
  `bq_next_day(d, name) AS bq_date(bq_days(d) + 1 + (7 + bq_weekday_number(name) - (bq_days(d) + 719170 + 1) % 7) % 7)`,
  `bq_weekday_number(name) AS CASE WHEN list_position(['sunday','monday','tuesday','wednesday','thursday','friday','saturday'], lower(name)) > 0
     THEN list_position(['sunday','monday','tuesday','wednesday','thursday','friday','saturday'], lower(name)) - 1
     WHEN list_position(['sun','mon','tue','wed','thu','fri','sat'], lower(name)) > 0 THEN list_position(['sun','mon','tue','wed','thu','fri','sat'], lower(name)) - 1
     WHEN name IS NULL THEN NULL ELSE bq_raise('Invalid day of week: ' || name) END`,
]

// Weeks begin on weekday w, 0 for Sunday. 1970-01-01 was a Thursday (4); 719170 is 4 more than a multiple of 7, and large
// enough to make no day negative.
const TRUNCATIONS = [
  'bq_week_index(d, w) AS ((bq_days(d) + 719170 - w) // 7)',
  'bq_week_day(d, w) AS (bq_days(d) - (bq_days(d) + 719170 - w) % 7)',
  'bq_week_start(d, w) AS bq_date(bq_week_day(d, w))',
  `bq_isoyear_start(d) AS CAST(date_trunc('week', make_date(isoyear(d), 1, 4)) AS DATE)`,
  `bq_isoyear_last(d) AS bq_date(bq_days(CAST(date_trunc('week', make_date(isoyear(d) + 1, 1, 4)) AS DATE)) - 1)`,
  // Days before the first weekday w of the year are in week 0.
  'bq_week_number(d, w) AS ((dayofyear(d) + 6 - ((dayofweek(d) - w + 7) % 7)) // 7)',
]

const INTERVALS = [
  // The struct makes DuckDB evaluate each part once.
  `bq_interval(months, days, us) AS list_transform([{'months': months, 'days': days, 'us': us}], lambda p$: bq_interval_of_parts(p$))[1]`,
  // NULL where a part is NULL, even if another part is out of range.
  `bq_make_interval(months, days, us) AS list_transform([{'months': months, 'days': days, 'us': us}], lambda p$:
     CASE WHEN p$.months IS NOT NULL AND p$.days IS NOT NULL AND p$.us IS NOT NULL THEN bq_interval_of_parts(p$) END)[1]`,
  'bq_interval_of_parts(p) AS (bq_interval_of_months(p.months, 1) + bq_interval_of_days(p.days, 1) + bq_interval_of_micros(p.us, 1))',
  "bq_interval_parts(i) AS {'months': bq_interval_months(i), 'days': bq_interval_days(i), 'us': bq_interval_micros(i)}",
  // n units, each of `size` months, days or microseconds.
  `bq_interval_of_months(n, size) AS CASE WHEN n NOT BETWEEN -(120000 // size) AND 120000 // size
     THEN bq_raise('Interval field months ''' || n::HUGEINT * size || ''' is out of range -120000 to 120000') ELSE to_months(TRY_CAST(n * size AS INTEGER)) END`,
  `bq_interval_of_days(n, size) AS CASE WHEN n NOT BETWEEN -(3660000 // size) AND 3660000 // size
     THEN bq_raise('Interval field days ''' || n::HUGEINT * size || ''' is out of range -3660000 to 3660000') ELSE to_days(TRY_CAST(n * size AS INTEGER)) END`,
  `bq_interval_of_micros(n, size) AS CASE WHEN n NOT BETWEEN -(316224000000000000 // size) AND 316224000000000000 // size
     THEN bq_raise('Interval field microseconds ''' || n::HUGEINT * size || ''' is out of range -316224000000000000 to 316224000000000000') ELSE to_microseconds(n * size) END`,
  // The difference of two DATETIMEs is in whole days and the rest of a day, both with the same sign.
  `bq_days_and_micros(us) AS bq_interval(0, (us - us % ${DAY_MICROS}) // ${DAY_MICROS}, us % ${DAY_MICROS})`,
  'bq_interval_from_parts(parts) AS bq_interval(parts[1], parts[2], parts[3])',
  `bq_interval_from_text(text, part, upto) AS bq_interval_from_parts(bq_parse_interval(text, part, upto))`,
  // These macros do not use datepart, which inside a lambda parses the name of the part for each row. The casts are needed for a
  // field of a NULL STRUCT: DuckDB folds it to a NULL without a type.
  'bq_interval_months(i) AS (year(i::INTERVAL) * 12 + month(i::INTERVAL))',
  'bq_interval_days(i) AS day(i::INTERVAL)',
  // The length of an interval, by which BigQuery orders intervals: a month counts 30 days, a day 24 hours. DuckDB orders by
  // months, then days, then time.
  `bq_interval_key(i) AS ((bq_interval_months(i) * 30 + bq_interval_days(i))::HUGEINT * ${DAY_MICROS} + bq_interval_micros(i))`,
  `bq_interval_of_one_sign(i) AS CASE
    WHEN least(bq_interval_months(i), bq_interval_days(i), bq_interval_micros(i)) < 0 AND greatest(bq_interval_months(i), bq_interval_days(i), bq_interval_micros(i)) > 0
    THEN bq_raise('INTERVALs whose parts have different signs cannot be compared here on the embedded engine') ELSE i END`,
  'bq_interval_micros(i) AS (hour(i::INTERVAL) * 3600000000 + minute(i::INTERVAL) * 60000000 + microsecond(i::INTERVAL))',
  'bq_interval_to_text(i) AS bq_interval_text(bq_interval_months(i), bq_interval_days(i), bq_interval_micros(i))',
  'bq_interval_to_duration(i) AS bq_duration_text(bq_interval_months(i), bq_interval_days(i), bq_interval_micros(i))',
  // The excess of each part is carried to the next larger one; then all parts get the same sign.
  `bq_justify_hours(i) AS list_transform(list_transform(list_transform([bq_interval_parts(i)],
     lambda p$: bq_hours_up(p$)), lambda p$: bq_one_sign_of_time(p$)), lambda p$: bq_interval_of_parts(p$))[1]`,
  `bq_hours_up(p) AS {'months': p.months, 'days': p.days + p.us // ${DAY_MICROS}, 'us': p.us % ${DAY_MICROS}}`,
  `bq_days_up(p) AS {'months': p.months + p.days // 30, 'days': p.days % 30, 'us': p.us}`,
  `bq_one_sign_of_time(p) AS CASE WHEN p.days > 0 AND p.us < 0 THEN {'months': p.months, 'days': p.days - 1, 'us': p.us + ${DAY_MICROS}}
     WHEN p.days < 0 AND p.us > 0 THEN {'months': p.months, 'days': p.days + 1, 'us': p.us - ${DAY_MICROS}} ELSE p END`,
  `bq_justify_days(i) AS list_transform(list_transform(list_transform([bq_interval_parts(i)],
     lambda p$: bq_days_up(p$)), lambda p$: CASE
       WHEN p$.months > 0 AND p$.days < 0 THEN {'months': p$.months - 1, 'days': p$.days + 30, 'us': p$.us}
       WHEN p$.months < 0 AND p$.days > 0 THEN {'months': p$.months + 1, 'days': p$.days - 30, 'us': p$.us} ELSE p$ END),
     lambda p$: bq_interval_of_parts(p$))[1]`,
  `bq_justify_interval(i) AS list_transform(list_transform(list_transform(list_transform(list_transform([bq_interval_parts(i)],
     lambda p$: bq_hours_up(p$)), lambda p$: bq_days_up(p$)), lambda p$: CASE
       WHEN p$.months > 0 AND (p$.days < 0 OR (p$.days = 0 AND p$.us < 0)) THEN {'months': p$.months - 1, 'days': p$.days + 30, 'us': p$.us}
       WHEN p$.months < 0 AND (p$.days > 0 OR (p$.days = 0 AND p$.us > 0)) THEN {'months': p$.months + 1, 'days': p$.days - 30, 'us': p$.us} ELSE p$ END),
     lambda p$: bq_one_sign_of_time(p$)), lambda p$: bq_interval_of_parts(p$))[1]`,
  // The sum of a list, added from the left.
  'bq_interval_sum(list) AS list_reduce(list, lambda sum$, i$: bq_interval_add(sum$, i$, 1))',
  // The list begins with the time's microseconds since 1970 as an INTERVAL; the other INTERVALs are added one by one.
  `bq_datetime_sum(list) AS make_timestamp(epoch_us(list_reduce(list, lambda sum$, i$:
     to_microseconds(epoch_us(bq_datetime_add_interval(make_timestamp(epoch_us(sum$)), i$, 1))))))`,
  `bq_timestamp_sum(list) AS make_timestamptz(epoch_us(list_reduce(list, lambda sum$, i$:
     to_microseconds(epoch_us(bq_timestamp_add_interval(make_timestamptz(epoch_us(sum$)), i$, 1))))))`,
  // Adds the months first, then days and time; sgn is 1, or -1 to subtract the interval.
  `bq_datetime_add_interval(dt, i, sgn) AS list_transform(list_transform([{'dt': dt, 'i': bq_interval_parts(i)}],
     lambda s$: epoch_us(bq_datetime_add_months(s$.dt, s$.i.months, sgn, 'Adding interval to datetime ')) + (s$.i.days * ${DAY_MICROS} + s$.i.us) * sgn),
     lambda us$: bq_datetime(us$))[1]`,
  `bq_timestamp_add_interval(ts, i, sgn) AS list_transform([{'us': epoch_us(ts), 'i': bq_interval_parts(i)}], lambda s$:
     CASE WHEN s$.i.months <> 0
     THEN bq_raise_for(s$.us, 'TIMESTAMP +/- INTERVAL is not supported for intervals with non-zero MONTH or YEAR part.')
     ELSE bq_timestamp(s$.us + (s$.i.days * ${DAY_MICROS} + s$.i.us) * sgn) END)[1]`,
]

const LARGEST_ARRAY = '1048575'
const TOO_LARGE = `bq_raise('Cannot generate arrays with more than ${LARGEST_ARRAY} elements.')`
const ARRAYS = [
  // The differences fit BIGINT: no two values are further apart than 3.2e17 microseconds.
  `bq_step_series(a, b, n, unit) AS CASE WHEN a IS NULL OR b IS NULL OR n IS NULL THEN NULL
     WHEN n = 0 THEN [bq_raise('Sequence step cannot be 0.')::BIGINT]
     WHEN (n > 0 AND a > b) OR (n < 0 AND a < b) THEN []::BIGINT[]
     WHEN n NOT BETWEEN -(${WIDEST_MICROS} // unit) AND ${WIDEST_MICROS} // unit THEN [a]
     WHEN (b - a) // (n * unit) >= ${LARGEST_ARRAY} THEN [${TOO_LARGE}::BIGINT]
     ELSE generate_series(a, b, n * unit) END`,
  "bq_date_array(a, b, n, unit) AS list_transform(bq_step_series(bq_days(a), bq_days(b), n, unit), lambda day$: DATE '1970-01-01' + day$::INTEGER)",
  // Each date is computed from the previous one: after a short month has cut the day, it stays cut.
  `bq_date_array_months(a, b, n, unit) AS CASE
     WHEN len(bq_step_series(bq_days(a), bq_days(b), n, unit * 28)) > 0
     THEN list_transform(bq_month_series(bq_days(a), bq_days(b), n, unit), lambda day$: DATE '1970-01-01' + day$::INTEGER)
     ELSE list_transform(bq_step_series(bq_days(a), bq_days(b), n, unit), lambda day$: DATE '1970-01-01' + day$::INTEGER) END`,
  'bq_timestamp_array(a, b, n, unit) AS list_transform(bq_step_series(epoch_us(a), epoch_us(b), n, unit), lambda us$: make_timestamptz(us$))',
]

const BUCKETS = [
  // The function's name for messages. It is NULL if the value or the origin is NULL, so that the width is not checked then.
  'bq_name_for(v, origin, name) AS CASE WHEN v IS NOT NULL AND origin IS NOT NULL THEN name END',
  // The parts of a bucket's width, exactly one of which must be greater than zero.
  `bq_bucket_width(name, i) AS list_transform([bq_interval_parts(i)], lambda p$: CASE
     WHEN (p$.months <> 0)::INTEGER + (p$.days <> 0)::INTEGER + (p$.us <> 0)::INTEGER > 1
       THEN bq_raise(name || ' doesn''t support bucket width INTERVAL with mixed parts')
     WHEN p$.months < 0 OR p$.days < 0 OR p$.us < 0 OR (p$.months = 0 AND p$.days = 0 AND p$.us = 0)
       THEN bq_raise(name || ' doesn''t support zero or negative bucket width INTERVAL')
     ELSE p$ END)[1]`,
  // The last bucket start (the origin plus a multiple of the width) that is not after the value. Months are always added to the
  // origin, so that its day of the month is kept.
  `bq_bucket_months(dt, width, origin) AS list_transform(
     [bq_floor_to((year(dt) - year(origin)) * 12 + month(dt) - month(origin), width)],
     lambda m$: epoch_us(origin + to_months((CASE WHEN origin + to_months(m$::INTEGER) > dt THEN m$ - width ELSE m$ END)::INTEGER)))[1]`,
  // Also used for days, with a DATE.
  `bq_bucket_micros(us, width, origin) AS (origin + bq_floor_to(us - origin, width))`,
  `bq_datetime_bucket_of(dt, width, origin) AS list_transform(list_transform([{'dt': dt, 'w': width, 'origin': origin}], lambda b$:
     CASE WHEN b$.w.months <> 0 THEN bq_bucket_months(b$.dt, b$.w.months, b$.origin)
     ELSE bq_bucket_micros(epoch_us(b$.dt), b$.w.days * ${DAY_MICROS} + b$.w.us, epoch_us(b$.origin)) END), lambda us$: bq_datetime(us$))[1]`,
  `bq_datetime_bucket(dt, i, origin) AS bq_datetime_bucket_of(dt, bq_bucket_width(bq_name_for(dt, origin, 'DATETIME_BUCKET'), i), origin)`,
  `bq_date_bucket(d, i, origin) AS CASE WHEN bq_interval_micros(i) <> 0 THEN bq_raise(bq_name_for(d, origin, 'DATE_BUCKET') || ' only supports bucket width INTERVAL with DAY and MONTH parts')
     ELSE CAST(bq_datetime_bucket_of(CAST(d AS TIMESTAMP), bq_bucket_width(bq_name_for(d, origin, 'DATE_BUCKET'), i), CAST(origin AS TIMESTAMP)) AS DATE) END`,
  `bq_timestamp_bucket(ts, i, origin) AS CASE WHEN bq_interval_months(i) <> 0 THEN bq_raise(bq_name_for(ts, origin, 'TIMESTAMP_BUCKET') || ' doesn''t support bucket width INTERVAL with MONTH part')
     ELSE list_transform([{'us': epoch_us(ts), 'w': bq_bucket_width(bq_name_for(ts, origin, 'TIMESTAMP_BUCKET'), i), 'origin': epoch_us(origin)}], lambda b$:
       bq_timestamp(bq_bucket_micros(b$.us, b$.w.days * ${DAY_MICROS} + b$.w.us, b$.origin)))[1] END`,
]

export const DATE_MACROS: readonly string[] = [
  ...CONVERSIONS,
  ...CONSTRUCTORS,
  ...ARITHMETIC,
  ...TRUNCATIONS,
  ...INTERVALS,
  ...ARRAYS,
  ...BUCKETS,
]
