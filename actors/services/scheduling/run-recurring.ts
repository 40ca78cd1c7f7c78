import { derivedId } from '../../../runtime/derived-ids.ts';
import { newId } from '../../../runtime/ids.ts';
import { inChunks } from '../../../runtime/in-chunks.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import { LANES } from '../../../store/messaging/messages.ts';
import type { RecurringPatch, RecurringRow, Run } from '../../../store/scheduling/recurring.ts';
import type { SendOrder } from '../messaging/sending.ts';
import { acceptOnce, FULL_PAUSE_MS, optedOutOf, type ReleaseDeps } from './accept-once.ts';
import { fillAgain } from './fill-again.ts';
import { publishOutcome } from './run-outcome.ts';
import { nextRun, type Schedule } from './schedule.ts';

/**
 * Executes recurring messages. A row in `recurring` contains the schedule, the current run, and
 * accepted runs whose outcome has not been published. The ID of a message is derived from run and
 * target, so that an interrupted run never sends a message twice.
 */

const TARGETS_BATCH_SIZE = 50;

/** Executes the run that is due. If several were missed, they are replaced by one run. */
export async function runRecurring(deps: ReleaseDeps, due: RecurringRow, now: number): Promise<void> {
  for (const { key, look_at } of due.accepted) if (look_at <= now) await publishOutcome(deps, due, key, now);
  if (due.run ? due.run.resume_at <= now : isDue(due, now)) await acceptRun(deps, due, now);
}

async function acceptRun(deps: ReleaseDeps, due: RecurringRow, now: number): Promise<void> {
  const { recurring, devices } = deps;
  const row = due.run ? due : await recurring.change(due.tenant_id, due._id, (one) => started(one, now));
  if (!row?.run) return;
  const device = await devices.find(row.tenant_id, row.session_id);
  if (!device) return void (await recurring.change(row.tenant_id, row._id, () => NO_DEVICE));
  const { key } = row.run;
  const areAccepted = await acceptAll(deps, device, row, row.run, now);
  const next = areAccepted ? accepted : postponed;
  const changed = await recurring.change(row.tenant_id, row._id, (one) => (one.run?.key === key ? next(one, one.run, now) : null));
  if (areAccepted && changed) await publishOutcome(deps, changed, key, now);
}

const NO_DEVICE: RecurringPatch = { run: null, accepted: [], is_active: false, next_run_at: null };

type Scheduling = Pick<RecurringRow, 'schedule_type' | 'schedule_config' | 'since' | 'timezone'>;

function scheduleOf({ schedule_type: type, schedule_config: config, since }: Scheduling): Schedule {
  const { hour, minute, day = 1, every_days: everyDays = 1 } = config;
  return { type, hour, minute, day, everyDays, since };
}

export const nextRunOf = (row: Scheduling, after: number): number => nextRun(scheduleOf(row), row.timezone, after);

export const newRun = (now: number): Run => ({ key: newId(now), at: now, resume_at: now });

const isDue = ({ run, is_active, next_run_at }: RecurringRow, now: number): boolean =>
  !run && is_active && next_run_at !== null && next_run_at <= now;

const started = (row: RecurringRow, now: number): RecurringPatch | null =>
  isDue(row, now) ? { run: newRun(now), last_run_at: now, next_run_at: nextRunOf(row, now) } : null;

const postponed = (_row: RecurringRow, run: Run, now: number): RecurringPatch => ({ run: { ...run, resume_at: now + FULL_PAUSE_MS } });

const accepted = (row: RecurringRow, { key, at }: Run, now: number): RecurringPatch => ({
  run: null,
  accepted: [...row.accepted, { key, at, look_at: now }],
});

/** Returns false if the device's queue is full. A repeat finds accepted targets by message ID. */
async function acceptAll(deps: ReleaseDeps, device: DeviceRow, row: RecurringRow, run: Run, now: number): Promise<boolean> {
  const people = await peopleOf(deps, row);
  const optedOut = await optedOutOf(deps, row.tenant_id, [...people.keys()]);
  const targets = [...people].filter(([chat]) => !optedOut.has(chat));
  for (const some of inChunks(targets, TARGETS_BATCH_SIZE)) {
    const answers = await Promise.all(
      some.map(async (target) => acceptOnce(deps, device, await filledOrder(deps, device, row, orderTo(row, run, ...target)), now)),
    );
    if (answers.includes(null)) return false;
  }
  return true;
}

async function peopleOf({ people }: ReleaseDeps, { tenant_id, targets }: RecurringRow): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(targets.map(async (target) => [await people.resolve(tenant_id, target), target] as const));
  const first = new Map<string, string>();
  for (const [chat, target] of found) if (!first.has(chat)) first.set(chat, target);
  return first;
}

type Order = SendOrder & { readonly id: string };

async function filledOrder(deps: ReleaseDeps, device: DeviceRow, { template }: RecurringRow, order: Order): Promise<Order> {
  if (!template) return order;
  const variables = Object.fromEntries(template.variables.map(({ name, value }) => [name, value]));
  const filled = await fillAgain(deps, device, { id: template.id, variables }, order);
  return typeof filled === 'string' ? { ...order, failsWith: filled } : { ...order, ...filled };
}

/** The ID derives from the stored target, so a number learnt during a run causes no second message. */
function orderTo(row: RecurringRow, run: Run, chat: string, target: string): Order {
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
    origin: { kind: 'recurring', id: _id, run: run.key },
  };
}
