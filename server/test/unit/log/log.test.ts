/** The log's lines. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLog } from '#log';
import { AppError } from '#model/error';
import { type LogLevel, openTextLog } from '#text-log';

function open(level: LogLevel, pretty: boolean) {
  const lines: string[] = [];
  const stream = { write: (text: string) => lines.push(text) };
  return { lines, log: (pretty ? openTextLog : openLog)({ level, stream }) };
}

test('E4 a line is one JSON object with time, level and message', () => {
  const { lines, log } = open('info', false);
  log.warn('disk is nearly full', { free: 1024, text: 'a\nb' });
  const { time, ...rest } = JSON.parse(lines[0]);
  assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(rest, { level: 'warn', free: 1024, text: 'a\nb', msg: 'disk is nearly full' });
  assert.match(lines[0], /^[^\n]+\n$/);
});

test('E4 for people a line is short', () => {
  const { lines, log } = open('debug', true);
  log.debug('hello', { port: 8080, name: 'two words', url: 'http://a' });
  assert.match(lines[0], /^\d\d:\d\d:\d\d debug hello port=8080 name="two words" url=http:\/\/a\n$/);
});

test('E4 only what the level asks for is written', () => {
  const levels: LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent'];
  for (const pretty of [false, true]) {
    const counts = levels.map((level) => {
      const { lines, log } = open('silent', pretty);
      log.setLevel(level);
      for (const write of [log.debug, log.info, log.warn, log.error]) write('x');
      return lines.length;
    });
    assert.deepEqual(counts, [4, 3, 2, 1, 0]);
  }
});

test('E4 an error is written with its message, and with its detail for operators', () => {
  for (const pretty of [false, true]) {
    const { lines, log } = open('info', pretty);
    log.warn('x', { error: new Error('the disk is full') });
    log.warn('x', { error: new AppError('unavailable', 'try again', { detail: 'SQLITE_BUSY' }) });
    assert.match(lines[0], /"the disk is full"/);
    assert.match(lines[1], /"try again \(SQLITE_BUSY\)"/);
  }
});

test('A4 members that are named like secrets are hidden, at the top and one below', () => {
  for (const pretty of [false, true]) {
    const { lines, log } = open('info', pretty);
    log.info('x', { clientSecret: 's3cret', headers: { authorization: 's3cret' }, password: 's3cret' });
    assert.ok(!lines[0].includes('s3cret') && lines[0].includes('(hidden)'));
  }
});
