import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createSealer } from '../../runtime/sealing/seal.ts';
import { type AuditLog, auditLogIn } from '../../store/audit/audit-log.ts';
import { type ChainHead, follows } from '../../store/audit/chain.ts';
import type { AuditRow } from '../../store/audit/entry.ts';
import type { Store } from '../../store/port.ts';
import { keptAuditKey } from '../wiring/audit-key.ts';
import { readConfig } from '../wiring/config.ts';
import { openLog } from '../wiring/log.ts';
import { openStore } from '../wiring/node.ts';
import { secretsFor } from '../wiring/secrets.ts';
import { fail } from '../wiring/shutdown.ts';

/** `npm run audit:verify [-- export.ndjson]`. Exit code 1: an entry is not what was written; its number is printed. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const { audit, deviceKeys } = secretsFor(config);
  const [file] = process.argv.slice(2);
  // Mostly the given key is the one that the store keeps, and an embedded store cannot be opened beside its node.
  const first = file ? await verified(file, audit) : null;
  if (first && (first.ok || config.audit_key !== null)) return tell(first);
  if (first)
    say(`Entry ${first.seq} is not what was written, by the key made of JWT_SECRET. The store may keep another one, which is tried now.`);
  const store = await openStore(config, openLog({ level: 'warn', base: {} }));
  try {
    const key = await keptAuditKey(store, createSealer(deviceKeys), audit);
    if (file) return tell(await verified(file, key));
    await verifyAll(auditLogIn(store, key), store);
  } finally {
    await store.close();
  }
}

async function verifyAll(log: AuditLog, store: Store): Promise<void> {
  await store.prepare();
  for (const tenant of await log.tenantsSince(0)) {
    const { ok, from_seq, to_seq, first_bad_seq } = await log.verify(tenant);
    say(
      ok
        ? `${tenant}: entries ${from_seq} to ${to_seq} are as they were written.`
        : `${tenant}: entry ${first_bad_seq} is not what was written.`,
    );
    if (!ok) process.exitCode = 1;
  }
}

/** `seq`: of the last entry, or of the first that is not what was written. */
interface Verified {
  readonly ok: boolean;
  readonly seq: number;
}

/** An exported log begins wherever its retention period had left it. */
async function verified(file: string, key: Buffer): Promise<Verified> {
  let head: ChainHead | null = null;
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const { chain: row }: { readonly chain: AuditRow } = JSON.parse(line);
    head ??= { seq: row.seq - 1, mac: row.prev };
    if (!follows(key, head, row)) return { ok: false, seq: head.seq + 1 };
    head = row;
  }
  return { ok: true, seq: head?.seq ?? 0 };
}

function tell({ ok, seq }: Verified): void {
  say(ok ? `all entries up to ${seq} are as they were written.` : `entry ${seq} is not what was written.`);
  if (!ok) process.exitCode = 1;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

await main().catch(fail);
