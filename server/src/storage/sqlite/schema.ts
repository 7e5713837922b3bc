/** The tables of the points, and the two numbers by which the file is recognised. The tables of metadata are defined in `../meta`. */

/** `application_id` of the file: "tide". */
export const applicationId = 0x74696465;

/** `user_version` of the file: the version of this layout. A newer one is refused, an older one migrated. */
export const formatVersion = 4;

/** The first version whose rows have checksums. */
export const checksVersion = 2;

/** The first version whose blocks share times. */
export const timesVersion = 3;

/**
 * Size of a page of a new file in bytes; files of earlier releases have 16 KiB. Small, because a transaction writes whole pages,
 * of which most are not full of new points: see DESIGN.md.
 */
export const pageBytes = 4096;

/** The table of the sums of each signal, which migration adds too. */
export const signalTable = `create table series_signal (
    signal integer primary key,
    points integer not null,
    bytes integer not null,
    blocks integer not null,
    last_first_us real not null,
    row_check integer not null
  );`;

/** The table of the times that several blocks share, which migration adds too. */
export const timesTable = `create table series_times (
    id integer primary key,
    refs integer not null,
    row_check integer not null,
    data blob not null
  );
  create index series_times_unused on series_times (id) where refs = 0;`;

/**
 * The layout (DESIGN.md draws it).
 * - series_log: one row for each accepted batch, in order of acceptance. `head` describes the contents of `data`.
 * - series_directory: one row for each block; blocks of a signal never overlap in time. `previous_us` is the first time of the
 *   signal's block before it, `crc` the checksum of the block.
 * - series_signal: one row for each signal that has blocks: their sums, and the first time of the last one.
 * - series_block: the sealed bytes of a block.
 * - series_times: the sealed bytes of a column of times, and the number of blocks that refer to it.
 * - series_state: one row: how far sealing has come. `step` counts changes of directory and deletions.
 * - series_deleted: rows of the log up to `through_seq` no longer count for this signal.
 * - row_check, everywhere: a checksum of the row's values.
 */
export const seriesSchema = `
  create table series_log (
    seq integer primary key autoincrement,
    head blob not null,
    data blob not null
  );
  create table series_directory (
    signal integer not null,
    first_us real not null,
    last_us real not null,
    count integer not null,
    sum real not null,
    sum_low real,
    min real not null,
    max real not null,
    m2 real,
    first_value real not null,
    last_value real not null,
    bytes integer not null,
    block integer not null,
    previous_us real,
    crc integer,
    row_check integer not null,
    primary key (signal, first_us)
  ) without rowid;
  ${signalTable}
  create table series_block (
    id integer primary key,
    data blob not null
  );
  ${timesTable}
  create table series_state (
    id integer primary key check (id = 1),
    step integer not null,
    sealed_seq integer not null,
    cycle_seq integer not null,
    cycle_signal integer not null,
    next_block integer not null,
    deleted_count integer not null,
    row_check integer not null
  );
  insert into series_state values (1, 0, 0, 0, 0, 1, 0, 0);
  create table series_deleted (
    signal integer primary key,
    through_seq integer not null,
    row_check integer not null
  );
`;
