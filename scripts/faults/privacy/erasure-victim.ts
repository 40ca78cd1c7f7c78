import { connectSandbox } from '../../../actors/network/sandbox/remote-sandbox.ts';
import { type Clock, pause, systemClock } from '../../../runtime/clock.ts';
import type { Collection, Doc } from '../../../store/port.ts';
import { NEVER_FULL } from '../../../test/support/limits.ts';
import { readConfig } from '../../wiring/config.ts';
import { openLog } from '../../wiring/log.ts';
import { openStore, startNode } from '../../wiring/node.ts';
import { replacingStore } from '../replacing-store.ts';

const WRITES = ['insertOne', 'insertMany', 'updateOne', 'updateMany', 'deleteOne', 'deleteMany', 'findOneAndDelete'] as const;
const LOOKS_EVERY_MS = 100;
const ARMED_SPEED = 60;

/** `FAILPOINT=before:3:600000` dies before an erasure's third write, with the clock 600 s ahead. */
export async function main(keepCompiled: () => void): Promise<void> {
  const { env } = process;
  process.on('disconnect', () => process.exit(1));
  const config = readConfig(env);
  const [when = '', nth = '0', ahead = '0'] = (env['FAILPOINT'] ?? '').split(':');
  const speed = when === '' ? 1 : ARMED_SPEED;
  const clock: Clock = {
    now: () => systemClock.now() + Number(ahead),
    monotonic: () => systemClock.monotonic(),
    after: (ms, run) => systemClock.after(ms / speed, run),
  };
  let left = Number(nth);
  let isInJob = false;
  const passes = (now: string): void => {
    if (now === when) process.kill(process.pid, 'SIGKILL');
  };

  function watched<T extends Doc>(name: string, raw: Collection<T>): Partial<Collection<T>> {
    const members = WRITES.map((write) => [
      write,
      async (...args: unknown[]): Promise<unknown> => {
        if (isInJob) left -= 1;
        // `isLast` is determined now, because other writes may start before this one is executed.
        const isLast = isInJob && left === 0;
        if (isLast) passes('before');
        try {
          return await Reflect.apply(raw[write], raw, args);
        } finally {
          // Passes the failpoint even if the write is refused, because no other write is counted
          // for it.
          if (isLast) passes('after');
        }
      },
    ]);
    const claims: Partial<Collection<T>> = {
      async findOneAndUpdate(...args) {
        if (when === '') return null;
        const row = await raw.findOneAndUpdate(...args);
        if (row) isInJob = true;
        return row;
      },
    };
    return { ...Object.fromEntries(members), ...(name === 'privacy_erasures' && claims) };
  }

  const log = openLog({ level: 'info', base: {} }, `${config.data_dir}/gateway.log`);
  const opened = await openStore(config, log);
  const network = connectSandbox({ url: config.sandbox_url ?? '', clock });
  const node = await startNode(config, { store: replacingStore(opened, watched), network, clock, log, limits: NEVER_FULL });
  process.send?.({ url: node.url });
  keepCompiled();
  const erasures = opened.collection({ name: 'privacy_erasures', indexes: [] });
  while (when === '' || (await erasures.countDocuments({ open: true })) > 0) await pause(systemClock, LOOKS_EVERY_MS);
  process.send?.('done');
}
