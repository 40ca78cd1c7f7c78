import type { RuleRow } from '../../../store/auto-reply/auto-replies.ts';

/** The message matches no rule, so the matcher has to try all of them. */
export const RULES: readonly RuleRow[] = Array.from({ length: 500 }, (_, nth) => ({
  id: `r${nth}`,
  name: `rule ${nth}`,
  ...triggerOf(nth),
  match_case: 0,
  reply_type: 'text',
  reply_body: 'x',
  reply_r2_key: null,
  reply_caption: null,
  cooldown_ms: 0,
  priority: nth,
  is_active: 1,
  created_at: nth,
}));

function triggerOf(nth: number): Pick<RuleRow, 'trigger_type' | 'trigger_text'> {
  if (nth % 3 === 0) return { trigger_type: 'keyword', trigger_text: `word ${nth}` };
  if (nth % 3 === 1) return { trigger_type: 'contains', trigger_text: `needle ${nth}` };
  return { trigger_type: 'regex', trigger_text: `(order|invoice) +#?${nth}\\d{4,8}` };
}

export const MESSAGE = 'Good morning, could you please tell me whether my order has left yet? '.repeat(936);

/** Prints the CPU time per call, and the 99th percentile of the event-loop ticks, both in CPU ms. */
export async function measure(one: () => Promise<unknown> | unknown, isQuick: boolean): Promise<void> {
  for (let warm = 0; warm < 20; warm += 1) await one();
  const turns = new SendScheduler();
  const before = cpuMs();
  const count = isQuick ? 5 : 100;
  for (let nth = 0; nth < count; nth += 1) {
    await one();
    await new Promise((resolve) => setImmediate(resolve));
  }
  console.log(JSON.stringify({ cpuMs: (cpuMs() - before) / count, heldMs: turns.p99() }));
}

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** Measures ticks in CPU time, because that does not depend on other load on the machine. */
class SendScheduler {
  readonly #turns: number[] = [];
  #since = cpuMs();
  #next: NodeJS.Immediate;

  constructor() {
    this.#next = setImmediate(this.#look);
  }

  p99(): number {
    clearImmediate(this.#next);
    const sorted = this.#turns.filter((ms) => ms > 0.5).toSorted((one, other) => one - other);
    return sorted[Math.floor(sorted.length * 0.99)] ?? 0;
  }

  readonly #look = (): void => {
    const now = cpuMs();
    this.#turns.push(now - this.#since);
    this.#since = now;
    this.#next = setImmediate(this.#look);
  };
}
