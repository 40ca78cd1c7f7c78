import { derivedId, newId } from '../../runtime/ids.ts';
import type { DeviceRow } from '../../store/devices.ts';
import { LANES } from '../../store/messages.ts';
import type { RecurringPatch, RecurringRow, Run } from '../../store/recurring.ts';
import type { SendOrder } from '../sending.ts';
import { acceptOnce, FULL_PAUSE_MS, optedOutOf, type ReleasePorts } from './handing.ts';
import { nextRun, type Schedule } from './schedule.ts';

interface Counts {
  readonly sent: number;
  readonly failed: number;
}

const TARGETS_AT_ONCE = 50;

/**
 * Does one run of a recurring message: to everybody who did not ask to be left alone. What was missed meanwhile is run once: the next run is
 * the first one after now.
 */
export async function runRecurring(ports: ReleasePorts, due: RecurringRow, now: number): Promise<void> {
  const { recurring, devices } = ports;
  const row = due.run ? due : await recurring.change(due.tenant_id, due._id, (one) => started(one, now));
  if (!row?.run) return;
  const device = await devices.find(row.tenant_id, row.session_id);
  if (!device) return void (await recurring.change(row.tenant_id, row._id, () => ({ run: null, is_active: false, next_run_at: null })));
  const counts = await sendToAll(ports, device, row, row.run, now);
  const { key } = row.run;
  if (!counts) return void (await recurring.change(row.tenant_id, row._id, (one) => postponed(one, key, now + FULL_PAUSE_MS)));
  const ended = await recurring.change(row.tenant_id, row._id, (one) => (one.run?.key === key ? { run: null } : null));
  if (!ended) return;
  const data = { recurring_id: row._id, ...counts, next_run_at: ended.next_run_at };
  ports.emit(row.tenant_id, row.session_id, { type: 'recurring.executed', data });
}

type Scheduling = Pick<RecurringRow, 'schedule_type' | 'schedule_config' | 'since' | 'timezone'>;

/** Its schedule, as it is computed with. */
function scheduleOf({ schedule_type: type, schedule_config: config, since }: Scheduling): Schedule {
  const { hour, minute, day = 1, every_days: everyDays = 1 } = config;
  return { type, hour, minute, day, everyDays, since };
}

/** When it runs next after `after`, both epoch ms. */
export const nextRunOf = (row: Scheduling, after: number): number => nextRun(scheduleOf(row), row.timezone, after);

export const newRun = (now: number): Run => ({ key: newId(now), at: now, resume_at: now });

function started(row: RecurringRow, now: number): RecurringPatch | null {
  if (row.run || !row.is_active || row.next_run_at === null || row.next_run_at > now) return null;
  return { run: newRun(now), last_run_at: now, next_run_at: nextRunOf(row, now) };
}

const postponed = ({ run }: RecurringRow, key: string, resume_at: number): RecurringPatch | null =>
  run?.key === key ? { run: { ...run, resume_at } } : null;

/** null: the device's queue is full. Whom it reached already it finds again under the same id. */
async function sendToAll(ports: ReleasePorts, device: DeviceRow, row: RecurringRow, run: Run, now: number): Promise<Counts | null> {
  const people = await peopleOf(ports, row);
  const optedOut = await optedOutOf(ports, row.tenant_id, [...people.keys()]);
  const targets = [...people].filter(([chat]) => !optedOut.has(chat));
  let [sent, failed] = [0, 0];
  for (let from = 0; from < targets.length; from += TARGETS_AT_ONCE) {
    const some = targets.slice(from, from + TARGETS_AT_ONCE);
    const answers = await Promise.all(some.map((target) => acceptOnce(ports, device, orderTo(row, run, ...target), now)));
    if (answers.includes(null)) return null;
    sent += answers.filter((answer) => answer === 'queued').length;
    failed += answers.filter((answer) => answer === 'failed').length;
  }
  return { sent, failed };
}

/** Whom it goes to by now, each once, with the first of their addresses among the targets. */
async function peopleOf({ people }: ReleasePorts, { tenant_id, targets }: RecurringRow): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(targets.map(async (target) => [await people.canonical(tenant_id, target), target] as const));
  const first = new Map<string, string>();
  for (const [chat, target] of found) if (!first.has(chat)) first.set(chat, target);
  return first;
}

/** Its id is of the target as it was named: that the number of somebody becomes known during a run is no reason to write to them twice. */
function orderTo(row: RecurringRow, run: Run, chat: string, target: string): SendOrder & { readonly id: string } {
  const { _id, message, message_type, media_r2_key, parts } = row;
  return {
    id: derivedId(`${run.key} ${target}`, run.at),
    chat,
    message_type,
    body: message,
    parts,
    ...(media_r2_key !== null && { media_r2_key }),
    quotes: null,
    lane: LANES.scheduled,
    priority: 0,
    origin: { kind: 'recurring', id: _id },
  };
}
