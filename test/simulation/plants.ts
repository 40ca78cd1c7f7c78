import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/** A fault that is inserted into the product's own code as it is loaded, because it cannot be injected from outside. */
interface Plant {
  readonly about: string;
  /** Path from the repository root. */
  readonly file: string;
  /** Code to replace. It must occur once, otherwise the plant no longer fits the code. */
  readonly find: string;
  readonly replace: string;
  /** The named plan that detects it, because seeds rarely do. */
  readonly plan?: string;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Typical faults of cluster nodes. The simulation detects each of them within 100 seeds, or with its plan. */
export const PLANTS: Readonly<Record<string, Plant>> = {
  'check-then-act': {
    about: 'the quota is read, and then taken without a condition',
    file: 'store/patterns/bounded-counter.ts',
    find: 'const filter = limit === null ? { _id } : { _id, [field]: { $lte: limit - by } };',
    replace: `const seen = await counters.findOne({ _id });
      if (limit !== null && Number(seen?.[field] ?? 0) > limit - by) return false;
      const filter = { _id };`,
  },
  'effect-before-write': {
    about: 'the outbox of a message is marked as processed before its steps run',
    file: 'actors/services/messaging/outbox-processor.ts',
    find: `async #follow(rows: readonly MessageRow[]): Promise<void> {
    let planned: Planned[] = [];`,
    replace: `async #follow(rows: readonly MessageRow[]): Promise<void> {
    let planned: Planned[] = [];
    await this.#messages.outboxProcessed(rows);`,
  },
  'no-epoch': {
    about: 'a device writes its row without its epoch',
    file: 'store/devices/devices.ts',
    find: 'return (await devices.updateOne({ _id, tenant_id, epoch }, update)).matchedCount === 1;',
    replace: 'return (await devices.updateOne({ _id, tenant_id }, update)).matchedCount === 1;',
  },
  'lost-wake-up': {
    about: 'a tenant that another node ran before sets no timer for what is due later',
    file: 'actors/tenant/behaviour/tenant.ts',
    find: 'return dueAt === null ? cancel(',
    replace: 'return dueAt === null || state.owner.epoch > 1 ? cancel(',
  },
  'refund-twice': {
    about: 'a message whose quota was given back still holds it',
    file: 'store/messaging/unsent-messages.ts',
    find: '{ $set: { quota_month: null, refund } }',
    replace: '{ $set: { refund } }',
  },
  'stale-state': {
    about: 'a device that comes back to a process runs on with the row that this process read before',
    file: 'store/devices/devices.ts',
    find: `own: (tenant_id, _id, node) =>
      devices.findOneAndUpdate({ _id, tenant_id }, { $inc: { epoch: 1 }, $set: { node } }, { returnDocument: 'after' }),`,
    replace: `own: async (tenant_id, _id, node) => {
      const read = (devices.readBefore ??= new Map());
      const before = read.get(_id);
      const after = await devices.findOneAndUpdate({ _id, tenant_id }, { $inc: { epoch: 1 }, $set: { node } }, { returnDocument: 'after' });
      read.set(_id, after);
      return before && after ? { ...before, epoch: after.epoch, node } : after;
    },`,
  },
  'late-batch': {
    about: 'a device sends messages of a campaign that arrive after their batch was taken back',
    file: 'actors/services/campaigns/late-messages.ts',
    find: 'if (late.size === 0) return rows;',
    replace: 'return rows;',
    plan: 'late-campaign.json',
  },
  'late-repetition': {
    about: 'a request that is repeated after its own time is checked again',
    file: 'http/server/mount.ts',
    find: 'keyedBody: checking(form, faultsIn),',
    replace: 'keyedBody: checking(form, (body) => [...faultsIn(body), ...(facts.timely?.(body, engine.clock.now()) ?? [])]),',
    plan: 'late-repetition.json',
  },
  'retry-without-key': {
    about: 'a message that is sent again has another network id',
    file: 'actors/device/behaviour/content.ts',
    find: 'netId: row.net_id,',
    replace: "netId: row.attempts > 1 ? row.net_id + '.' + row.attempts : row.net_id,",
  },
  'official-sent-again': {
    about: 'a call to the official platform whose outcome is unknown is repeated',
    file: 'actors/network/official/sender.ts',
    find: 'return this.#hold({ ...outgoing, opaque }, this.#login.clock.now() + OUTCOME_UNKNOWN_MS);',
    replace: 'return this.#heard.retryLater(outgoing, 1_000);',
  },
  'retry-without-end': {
    about: 'a delivery to a webhook that fails is tried for ever',
    file: 'actors/services/webhooks/retry-schedule.ts',
    find: 'RETRIES_MS[attempt - asked_after];',
    replace: '30_000;',
  },
};

/** Inserts the fault into modules that are loaded from now on. Throws if its code does not occur exactly once. */
export function plant(name: string): void {
  const { file, find, replace } = PLANTS[name] ?? missing(name);
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.startsWith('file:') || fileURLToPath(url) !== `${ROOT}${file}`) return loaded;
      const parts = String(loaded.source).split(find);
      if (parts.length !== 2) throw new Error(`the plant ${name} does not fit ${file} any more`);
      return { ...loaded, source: parts.join(replace) };
    },
  });
}

function missing(name: string): never {
  throw new Error(`there is no plant ${name}; there are ${Object.keys(PLANTS).join(', ')}`);
}
