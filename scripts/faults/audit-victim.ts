import { plansFrom } from '../../actors/domain/plans.ts';
import { connectSandbox } from '../../actors/network/sandbox/remote-sandbox.ts';
import { systemClock } from '../../runtime/clock.ts';
import { auditLogIn } from '../../store/audit/audit-log.ts';
import type { AuditDraft } from '../../store/audit/entry.ts';
import type { Doc, Store, Update } from '../../store/port.ts';
import { readConfig } from '../wiring/config.ts';
import { openLog } from '../wiring/log.ts';
import { openStore, startNode } from '../wiring/node.ts';
import { secretsFor } from '../wiring/secrets.ts';
import { replacingStore } from './replacing-store.ts';

const MANY = 1_000_000_000;

/** `before:n` or `after:n` kills this process at the n-th entry; `AUDIT_AFTER` marks the control run. */
export async function main(keepCompiled: () => void): Promise<void> {
  const { env } = process;
  process.on('disconnect', () => process.exit(1));
  const config = { ...readConfig(env), plans: plansFrom({ free: { messages: MANY, send_per_minute: MANY, key_cap: MANY, keys: MANY } }) };
  let [when, left] = ['', 0];
  process.on('message', (order) => {
    const [name = '', nth = '1'] = String(order).split(':');
    [when, left] = [name, Number(nth)];
  });
  const pass = (now: string): void => {
    if (now !== when) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  };
  const opened = watched(await openStore(config, openLog({ level: 'error', base: {} })), pass);
  const store = env['AUDIT_AFTER'] ? writtenAfter(opened, auditLogIn(opened, secretsFor(config).audit).append) : opened;
  const network = connectSandbox({ url: config.sandbox_url ?? '', clock: systemClock });
  const node = await startNode(config, { store, network });
  process.send?.({ url: node.url });
  keepCompiled();
}

function watched(store: Store, pass: (now: string) => void): Store {
  return replacingStore(store, (name, raw) => ({
    async insertOne(doc) {
      if (name === 'audit') pass('before');
      const answer = await raw.insertOne(doc);
      if (name === 'audit') pass('after');
      return answer;
    },
  }));
}

type Held = { readonly audit_outbox?: Readonly<Record<string, AuditDraft>>; readonly audit_pending?: string };

/** Behaves like a gateway without an outbox: first the action, then the audit entry. */
function writtenAfter(store: Store, append: (draft: AuditDraft) => Promise<void>): Store {
  async function apart<A>(update: Update, write: (rest: Update) => Promise<A>): Promise<A> {
    const entries = Object.entries(update.$set ?? {});
    const drafts = entries.filter(([path]) => path.startsWith('audit_outbox.')).map(([, draft]) => draft as AuditDraft);
    const answer = await write({ ...update, $set: Object.fromEntries(entries.filter(([path]) => !path.startsWith('audit_'))) });
    for (const draft of drafts) await append(draft);
    return answer;
  }
  return replacingStore(store, (_name, raw) => ({
    async insertOne(doc) {
      const { audit_outbox = {}, audit_pending: _pending, ...own } = doc as Doc & Held;
      const answer = await raw.insertOne(own as typeof doc);
      for (const draft of Object.values(audit_outbox)) await append(draft);
      return answer;
    },
    updateOne: (filter, update, options) => apart(update, (rest) => raw.updateOne(filter, rest, options)),
    findOneAndUpdate: (filter, update, options) =>
      apart(update, (rest) =>
        Object.keys(rest.$set ?? {}).length > 0 ? raw.findOneAndUpdate(filter, rest, options) : raw.findOne(filter),
      ),
  }));
}
