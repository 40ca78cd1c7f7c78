import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isNote } from '../../../runtime/cluster/note.ts';

const device = { kind: 'device', id: 'd1' };
const command = { type: 'send' };

it('every request from another node about an actor is recognized', () => {
  assert.ok(isNote({ do: 'ask', ...device, command, timeoutMs: 1_000 }));
  assert.ok(isNote({ do: 'tell', ...device, command, timeoutMs: 0 }));
  assert.ok(isNote({ do: 'take', ...device }));
  assert.ok(isNote({ do: 'handOver', ...device, to: 'b' }));
  assert.ok(isNote({ do: 'beState', state: 'draining' }));
});

it('messages from later versions and requests with a missing part are rejected', () => {
  assert.equal(isNote({ do: 'dance', ...device }), false);
  assert.equal(isNote({ do: 'ask', ...device, timeoutMs: 1_000 }), false);
  assert.equal(isNote({ do: 'tell', ...device, command: {}, timeoutMs: 0 }), false);
  assert.equal(isNote({ do: 'take', kind: 'device' }), false);
  assert.equal(isNote({ do: 'handOver', ...device }), false);
  assert.equal(isNote({ do: 'beState', state: 'asleep' }), false);
  assert.equal(isNote({ do: 'toString' }), false);
  assert.equal(isNote(null), false);
});
