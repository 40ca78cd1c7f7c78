import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ProtocolFault, ReplyGuard } from '../../../runtime/cluster/redis/reply-guard.ts';
import { at } from '../../../runtime/invariant.ts';
import { seededRandom } from '../../../runtime/random.ts';

const ROUNDS = 2_000;
const random = seededRandom(1);
const upTo = (most: number): number => Math.floor(random() * (most + 1));

const command = (name: string): string => `*1\r\n$${name.length}\r\n${name}\r\n`;
const bulk = (text: string): string => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;

/** Any reply that a script can have. */
function aReply(depth = 0): string {
  const kinds = [
    () => `:${upTo(2 ** 40) - 2 ** 39}\r\n`,
    () => '$-1\r\n',
    () => bulk(`\r\n:$*${'é'.repeat(upTo(30))}`),
    () => `+${'x'.repeat(upTo(20))}\r\n`,
    () => `-ERR ${upTo(9)}\r\n`,
    () => `*${3}\r\n${[0, 0, 0].map(() => aReply(depth + 1)).join('')}`,
    () => '*0\r\n',
  ];
  return at(kinds, upTo(depth < 3 ? kinds.length - 1 : 4))();
}

function inPieces(bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  for (let from = 0; from < bytes.length; ) {
    const to = from + 1 + upTo(random() < 0.5 ? 2 : 200);
    pieces.push(bytes.subarray(from, to));
    from = to;
  }
  return pieces;
}

describe('the Redis reply guard', () => {
  it('passes on expected replies unchanged and one at a time, however they are split', () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const guard = new ReplyGuard(() => assert.fail('nothing is left out'));
      const replies = Array.from({ length: 1 + upTo(5) }, () => aReply());
      for (const _ of replies) guard.wrote(command('evalsha'));
      const passed = inPieces(Buffer.from(replies.join(''))).flatMap((piece) => guard.checked(piece));
      assert.deepEqual(
        passed.map((reply) => reply.toString()),
        replies,
      );
      assert.throws(() => guard.checked(Buffer.from(':1\r\n')), ProtocolFault);
    }
  });

  it('accepts published messages between replies, and drops those that are too long', () => {
    let leftOut = 0;
    const guard = new ReplyGuard(() => {
      leftOut += 1;
    });
    guard.wrote(command('subscribe'));
    guard.wrote(command('ping'));
    const message = (text: string): string => `*3\r\n${bulk('message')}${bulk('gw:x')}${bulk(text)}`;
    const parts = [
      `*3\r\n${bulk('subscribe')}${bulk('gw:x')}:1\r\n`,
      message('a'),
      message('b'.repeat(5_000_000)),
      message('$'),
      '+PONG\r\n',
      message('c'),
    ];
    const passed = inPieces(Buffer.from(parts.join(''))).flatMap((piece) => guard.checked(piece));
    assert.deepEqual([passed.map((reply) => reply.toString()), leftOut], [parts.filter((part) => part.length < 1_000), 1]);
  });

  it('passes on only whole replies or throws a protocol error, whatever bytes arrive', () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const guard = new ReplyGuard(() => {});
      for (const name of ['subscribe', 'ping', 'evalsha', 'evalsha']) guard.wrote(command(name));
      const bytes = Buffer.from(aReply() + aReply());
      for (let n = 0; n <= upTo(5); n += 1) bytes[upTo(bytes.length - 1)] = upTo(255);
      try {
        for (const piece of inPieces(bytes)) guard.checked(piece);
      } catch (cause) {
        assert.ok(cause instanceof ProtocolFault, String(cause));
      }
    }
  });
});
