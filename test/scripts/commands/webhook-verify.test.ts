import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { describe, it, type TestContext } from 'node:test';
import { headersOf } from '../../../actors/services/webhooks/signature.ts';
import { SigningBuffer } from '../../../actors/services/webhooks/signing-buffer.ts';
import { pause, systemClock } from '../../../runtime/clock.ts';
import { aGateway } from '../../support/gateway.ts';
import { embedded } from '../../support/stores.ts';

const secret = 'the secret of a newcomer, long enough';

describe('npm run webhook-verify', () => {
  it('prints correctly signed deliveries, marks repeated ones, and rejects all others', { timeout: 600_000 }, async (t) => {
    const { url, line } = await aVerifier(t);
    const event = { id: 'evt_01JZX5ZB4T8QKX3N9V7C2M6D1E', type: 'message.received', data: { body: 'ünïcode' } };
    const body = Buffer.from(JSON.stringify(event));
    const deliver = async (bytes: Buffer): Promise<number> => {
      const signed = {
        secret,
        eventId: event.id,
        event: event.type,
        signingBuffer: new SigningBuffer(JSON.stringify(event)),
        now: Date.now(),
      };
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

  it('fetches events from the given gateway, and delivers them to itself with a signature', { timeout: 600_000 }, async (t) => {
    const gateway = await aGateway(t, { kind: embedded });
    const acme = await gateway.signUp();
    const device = await acme.linked('6281300001111');
    await device.text('+6281211110001', 'from before');
    await gateway.clock.advance(5_000);
    const { line } = await aVerifier(t, ['--gateway', gateway.node.url, '--token', acme.tokens.token]);
    await line('Pulling the events');
    await pause(systemClock, 1_500);
    const id = await device.text('+6281211110001', 'after that');
    await gateway.until('it is sent', async () => (await device.message(id)).status !== 'queued');
    const told = [await line('✓'), await line('{')].join(' ');
    assert.match(told, /message\.|session\./);
    assert.doesNotMatch(told, /from before/);
  });

  it('explains how to allow a local receiver if the gateway rejects its address', async (t) => {
    const gateway = await aGateway(t, { kind: embedded });
    const acme = await gateway.signUp();
    const webhook = { secret, events: ['message.sent'] };
    for (const [url, allow] of [
      ['http://127.0.0.1:9100/', '127.0.0.1:9100'],
      ['https://127.0.0.1/', '127.0.0.1:443'],
    ]) {
      const { status, body } = await acme.api('POST', '/v1/webhooks', { ...webhook, url });
      assert.deepEqual([status, body.code], [400, 'WEBHOOK_URL_BLOCKED']);
      assert.ok(body.error.includes(`EGRESS_ALLOW=${allow}`), body.error);
      assert.ok((await acme.api('POST', '/v1/webhooks?lang=id', { ...webhook, url })).body.error.includes(`EGRESS_ALLOW=${allow}`));
    }
  });
});

const pairs = (flat: readonly string[]): [string, string][] =>
  Array.from({ length: flat.length / 2 }, (_, n) => [flat[2 * n] ?? '', flat[2 * n + 1] ?? '']);

async function aVerifier(t: TestContext, more: readonly string[] = []) {
  const args = ['scripts/commands/webhook-verify.ts', '--port', '0', '--secret', secret, ...more];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill());
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const line = async (part: string): Promise<string> => {
    for (let next = await lines.next(); !next.done; next = await lines.next()) if (next.value.includes(part)) return next.value;
    throw new Error(`it never said ${part}`);
  };
  const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(await line('verifying webhooks on'))?.[0] ?? '';
  return { url, line };
}
