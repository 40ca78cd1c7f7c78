import assert from 'node:assert/strict';
import { type Duplex, duplexPair } from 'node:stream';
import { describe, it } from 'node:test';
import { Wire } from '../../../../actors/network/sandbox/wire.ts';
import { settle } from '../../../../runtime/testing/virtual-clock.ts';

const QUESTIONS = 1_000;
const ANSWER = 'a'.repeat(1_000);

describe('the connection between a node and the sandbox', () => {
  it('pauses reading while its peer does not read, and resumes when the peer does', async () => {
    const [near, far] = duplexPair();
    let taken = 0;
    const wire: Wire<number, string> = new Wire(near, {
      onFrame() {
        taken += 1;
        wire.write(ANSWER);
      },
      onEnd() {},
      waitsForReader: true,
    });
    await askMany(far);
    assert.ok(taken < QUESTIONS / 2, `${taken} of ${QUESTIONS} were taken`);

    let heard = 0;
    far.on('data', (bytes: Buffer) => {
      heard += bytes.length;
    });
    while (taken < QUESTIONS) await settle();
    await settle();
    assert.equal(heard, QUESTIONS * (ANSWER.length + 3));
  });

  it('combines all messages from one event-loop tick in a single write', async () => {
    const [near, far] = duplexPair();
    const writes: string[] = [];
    far.on('data', (bytes: Buffer) => void writes.push(bytes.toString()));
    const wire = new Wire<number, number>(near, { onFrame() {}, onEnd() {}, waitsForReader: false });
    for (const number of [1, 2, 3]) wire.write(number);
    await settle();
    assert.deepEqual(writes, ['1\n2\n3\n']);
  });
});

/** Asks in many small writes, none of which waits for an answer. */
async function askMany(far: Duplex): Promise<void> {
  for (let asked = 0; asked < QUESTIONS; asked += 1) {
    far.write(`${asked}\n`);
    if (asked % 10 === 0) await settle();
  }
}
