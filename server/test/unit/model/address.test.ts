/** What counts as one address. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { addressKey } from '#model/address';

it('A2a an IPv4 address is itself, also where it is written as IPv6', () => {
  assert.equal(addressKey('192.0.2.1'), '192.0.2.1');
  assert.equal(addressKey('::ffff:192.0.2.1'), '192.0.2.1');
});

it('A2a the /64 of an IPv6 address is one, however it is written', () => {
  const same = [
    '2001:db8::1',
    '2001:db8::1:2:3:4',
    '2001:DB8:0:0:ffff::',
    '2001:0db8:0000:0000:9:9:9:9',
    '2001:db8::192.0.2.1',
  ];
  for (const address of same) assert.equal(addressKey(address), '2001:db8:0:0', address);
  assert.equal(addressKey('2001:db8:0:1::1'), '2001:db8:0:1');
  assert.equal(addressKey('2001::1:2:3:4:5:6'), '2001:0:1:2');
  assert.equal(addressKey('::1'), '0:0:0:0');
  assert.equal(addressKey('fe80::1%eth0'), 'fe80:0:0:0');
});

it('A2a what is no address is a key all the same', () => {
  for (const text of ['', 'unknown', ':', '::', '1::2::3', '1:2:3:4:5:6:7:8:9'])
    assert.equal(typeof addressKey(text), 'string');
});
