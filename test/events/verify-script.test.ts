import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { describe, it, type TestContext } from 'node:test';
import { Sheet } from '../../actors/tenant/sheet.ts';
import { headersOf } from '../../actors/tenant/signature.ts';

const secret = 'the secret of a newcomer, long enough';

describe('npm run webhook-verify', () => {
  it('prints what is rightly signed, says what it saw before, and refuses everything else', { timeout: 60_000 }, async (t) => {
    const { url, line } = await aVerifier(t);
    const event = { id: 'evt_01JZX5ZB4T8QKX3N9V7C2M6D1E', type: 'message.received', data: { body: 'ünïcode' } };
    const body = Buffer.from(JSON.stringify(event));
    const deliver = async (bytes: Buffer): Promise<number> => {
      const signed = { secret, eventId: event.id, event: event.type, sheet: new Sheet(JSON.stringify(event)), now: Date.now() };
      const headers = Object.fromEntries(pairs(headersOf(signed)));
      return (await fetch(url, { method: 'POST', headers, body: new Uint8Array(bytes) })).status;
    };
    assert.equal(await deliver(body), 204);
    assert.match(await line('✓'), /message\.received {2}evt_01JZX5ZB4T8QKX3N9V7C2M6D1E$/);
    assert.equal(await deliver(body), 204);
    assert.match(await line('✓'), /seen before/);
    assert.equal(await deliver(Buffer.concat([body, Buffer.from(' ')])), 401);
    assert.match(await line('✗'), /refused/);
  });
});

const pairs = (flat: readonly string[]): [string, string][] =>
  Array.from({ length: flat.length / 2 }, (_, n) => [flat[2 * n] ?? '', flat[2 * n + 1] ?? '']);

async function aVerifier(t: TestContext) {
  const args = ['scripts/webhook-verify.ts', '--port', '0', '--secret', secret];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill());
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const line = async (part: string): Promise<string> => {
    for (let next = await lines.next(); !next.done; next = await lines.next()) if (next.value.includes(part)) return next.value;
    throw new Error(`it never said ${part}`);
  };
  const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(await line('verified on'))?.[0] ?? '';
  return { url, line };
}
