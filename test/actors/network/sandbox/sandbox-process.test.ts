import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import type { ConnectionEvent } from '../../../../actors/network/port.ts';
import type { JournalEntry } from '../../../../actors/network/sandbox/protocol.ts';
import { connectSandbox } from '../../../../actors/network/sandbox/remote-sandbox.ts';
import { systemClock } from '../../../../runtime/clock.ts';

const SHOP = '6281100000001';

describe('npm run sandbox', () => {
  it('prints its address, accepts connections, serves its API, and stops on request', async (t) => {
    const { url, child } = await aSandboxProcess(t);
    const network = connectSandbox({ url, clock: systemClock });
    t.after(() => network.shutdown());
    const heard = new Heard();
    network.open({ deviceId: 'd1', credentials: null, proxyUrl: null }, (event) => heard.hear(event));
    const { qr } = await heard.first('qr');
    assert.deepEqual(await post(`${url}/sandbox/phones/${SHOP}/scan`, { qr }), { ok: true });
    const { phone } = await heard.first('linked');
    assert.equal(phone, SHOP);
    const journal = (await (await fetch(`${url}/sandbox/journal`)).json()) as { entries: JournalEntry[]; next: number };
    assert.deepEqual([journal.entries.map(({ what }) => what), journal.next], [['linked'], 1]);

    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null]);
  });

  it('explains in one sentence why it cannot start', async (t) => {
    const { url } = await aSandboxProcess(t);
    const second = run({ SANDBOX_PORT: new URL(url).port });
    const [said] = await once(second.stderr, 'data');
    assert.match(String(said), /^listen EADDRINUSE/);
    assert.equal(second.exitCode ?? (await once(second, 'exit'))[0], 1);
  });
});

async function aSandboxProcess(t: TestContext) {
  const child = run({ SANDBOX_PORT: '0' });
  t.after(() => child.kill('SIGKILL'));
  const [said] = await once(child.stdout, 'data');
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(String(said))?.[0];
  assert.ok(url, String(said));
  return { url, child };
}

function run(env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, ['scripts/commands/sandbox.ts'], { env: { ...process.env, ...env }, stdio: 'pipe' });
  return child satisfies ChildProcess;
}

async function post(url: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json();
}

/** What a line has said so far, and a way to wait for the next. */
class Heard {
  readonly #events: ConnectionEvent[] = [];
  #wake: () => void = () => {};

  hear(event: ConnectionEvent): void {
    this.#events.push(event);
    this.#wake();
  }

  async first<T extends ConnectionEvent['type']>(type: T): Promise<Extract<ConnectionEvent, { type: T }>> {
    for (;;) {
      const found = this.#events.find((event): event is Extract<ConnectionEvent, { type: T }> => event.type === type);
      if (found) return found;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
