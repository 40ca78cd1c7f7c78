import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { auditLogIn } from '../../store/audit/audit-log.ts';
import { type ChainHead, follows } from '../../store/audit/chain.ts';
import type { AuditRow } from '../../store/audit/entry.ts';
import { readConfig } from '../wiring/config.ts';
import { openLog } from '../wiring/log.ts';
import { openStore } from '../wiring/node.ts';
import { secretsFor } from '../wiring/secrets.ts';
import { fail } from '../wiring/shutdown.ts';

/** `npm run audit:verify [-- export.ndjson]`. Exit code 1: an entry is not what was written; its number is printed. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const key = secretsFor(config).audit;
  const [file] = process.argv.slice(2);
  if (file) return verifyFile(file, key);
  const store = await openStore(config, openLog({ level: 'warn', base: {} }));
  try {
    const log = auditLogIn(store, key);
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
  } finally {
    await store.close();
  }
}

/** An exported log begins wherever its retention period had left it. */
async function verifyFile(file: string, key: Buffer): Promise<void> {
  let head: ChainHead | null = null;
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const { chain: row }: { readonly chain: AuditRow } = JSON.parse(line);
    head ??= { seq: row.seq - 1, mac: row.prev };
    if (!follows(key, head, row)) {
      process.exitCode = 1;
      return say(`entry ${head.seq + 1} is not what was written.`);
    }
    head = row;
  }
  say(`all entries up to ${head?.seq ?? 0} are as they were written.`);
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

await main().catch(fail);
