import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pause, systemClock } from '../../../../runtime/clock.ts';
import { INBOX } from '../../../support/chatwoot/books.ts';
import { bridged } from '../../../support/chatwoot/bridged.ts';
import { TOKEN, WEBHOOK_SECRET } from '../../../support/chatwoot/chatwoot.ts';
import { held } from '../../../support/held.ts';
import { aDirectory } from '../../../support/stores.ts';

const GATEWAY = fileURLToPath(new URL('../../../../scripts/commands/gateway.js', import.meta.url));

const MAX_TRIES = 2_000;

/** `BRIDGE_PROCESS_KILLS=200` with `BRIDGE_PROCESS_MINUTES=60`: the longer form, at the rate of a busy day. */
const KILLS = Number(process.env['BRIDGE_PROCESS_KILLS'] ?? 1);
const MINUTES = Number(process.env['BRIDGE_PROCESS_MINUTES'] ?? 0);
const ROUND_MS = (MINUTES * 60_000) / KILLS;
const STEP_MS = 200;
/** Connections that the double and the gateway keep open meanwhile. */
const SPARE_DESCRIPTORS = 10;

describe('the Chatwoot bridge command', () => {
  it('resumes after SIGKILL, locks its state file and port, and exits on SIGTERM', {
    timeout: 900_000 + 2 * MINUTES * 60_000,
  }, async (t) => {
    const { gateway, chatwoot, device, key, file, port, write, seen, shown } = await bridged(t, { clock: systemClock });
    // The process lives in real time, and the gateway in virtual time.
    const until = async <T>(what: string, check: () => T): Promise<NonNullable<T>> => {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const found = check();
        if (found) return found;
        await gateway.clock.advance(STEP_MS);
        await pause(systemClock, 50);
      }
      throw new Error(`never happened: ${what}`);
    };
    const usual = {
      ...{ to: chatwoot.url, account: '1', inbox: String(INBOX), session: device.id, state: file, listen: String(port) },
      ...{ 'public-url': `http://127.0.0.1:${port}`, settle: '0.2' },
    };
    const env = { GATEWAY_URL: gateway.node.url, GATEWAY_KEY: key, CHATWOOT_TOKEN: TOKEN, CHATWOOT_WEBHOOK_SECRET: WEBHOOK_SECRET };
    const temporary = aDirectory(t);
    const children: ChildProcess[] = [];
    t.after(() => {
      for (const child of children) child.kill('SIGKILL');
    });

    const started = (options = {}, changed: NodeJS.ProcessEnv = {}) => {
      const args = Object.entries({ ...usual, ...options }).flatMap(([name, value]) => [`--${name}`, String(value)]);
      const child = spawn(process.execPath, [GATEWAY, 'bridge', 'chatwoot', ...args], {
        env: { ...process.env, TMPDIR: temporary, ...env, ...changed },
      });
      children.push(child);
      const output = { out: '', err: '' };
      child.stdout.on('data', (text) => {
        output.out += text;
      });
      child.stderr.on('data', (text) => {
        output.err += text;
      });
      return { child, output };
    };
    const running = async () => {
      const { child, output } = started();
      await until('it runs', () => /The bridge is running/.test(output.out));
      return { child, output };
    };

    const before = held();
    const began = systemClock.monotonic();
    for (let nth = 0; nth < KILLS; nth += 1) {
      const { child } = await running();
      write(`Question ${nth}`);
      const question = await until('agents see it', () => seen().find(({ content }) => content === `Question ${nth}`));
      const answer = chatwoot.write(question.conversation, `Answer ${nth}`);
      if (nth % 3 === 0) await until('it is read', () => answer.status === 'read');
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      write(`Nobody listens ${nth}`);
      chatwoot.write(question.conversation, `Unheard ${nth}`);
      for (const end = began + ROUND_MS * (nth + 1); systemClock.monotonic() < end; ) {
        await pause(systemClock, STEP_MS);
        await gateway.clock.advance(STEP_MS);
      }
    }
    const { child, output } = await running();
    await until('all has arrived', () => seen().filter(({ type }) => type === 'incoming').length === 2 * KILLS);
    await until('all is answered', () => shown().length === 2 * KILLS);

    const second = started({ listen: '0' });
    const [code] = await gateway.during(once(second.child, 'exit'));
    assert.deepEqual([code, /Another bridge uses/.test(second.output.err)], [1, true], second.output.err);
    const third = started({ state: `${file}.other` });
    const [refused] = await gateway.during(once(third.child, 'exit'));
    assert.deepEqual([refused, /cannot listen on 127/.test(third.output.err)], [1, true], third.output.err);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    assert.deepEqual(await gateway.during(ended), [0, null]);
    assert.equal(output.err, '');
    const { descriptors, zombies } = held();
    assert.deepEqual([zombies, readdirSync(temporary)], [0, []]);
    assert.ok(descriptors <= before.descriptors + SPARE_DESCRIPTORS, `${before.descriptors} descriptors, then ${descriptors}`);
    t.diagnostic(`descriptors: ${before.descriptors} before, ${descriptors} after`);
    assert.deepEqual(
      [seen().filter(({ type }) => type === 'incoming').length, shown().length, new Set(shown().map(({ netId }) => netId)).size],
      [2 * KILLS, 2 * KILLS, 2 * KILLS],
    );
  });
});
