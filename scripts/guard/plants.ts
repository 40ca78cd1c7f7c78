import { systemClock } from '../../runtime/clock.ts';
import { threadCpuMs } from './turn-meter.ts';

/** A request with this header makes the node misbehave, to show that the guard detects it. */
export const PLANT_HEADER = 'x-guard-plant';

const STALL_MS = 80;
const HELD_BYTES = 200 * 1_048_576;
const HELD_MS = 100;

const PLANTS: Readonly<Record<string, () => void>> = {
  stall() {
    for (const endsAt = threadCpuMs() + STALL_MS; threadCpuMs() < endsAt; );
  },
  memory() {
    const held = Buffer.alloc(HELD_BYTES, 1);
    systemClock.after(HELD_MS, () => held.at(0));
  },
  exit: () => process.exit(3),
};

export const plant = (name: unknown): void => PLANTS[String(name)]?.();
