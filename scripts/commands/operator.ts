import { systemDraft } from '../../actors/services/audit/audit-trail.ts';
import { OPERATOR_FACTOR } from '../../http/auth/operator-sessions.ts';
import { systemClock } from '../../runtime/clock.ts';
import { createSealer } from '../../runtime/sealing/seal.ts';
import { operatorSessionsIn } from '../../store/accounts/operator-sessions.ts';
import { secondFactorsIn } from '../../store/accounts/second-factors.ts';
import { OPERATOR_LOG } from '../../store/audit/entry.ts';
import { openAudit } from '../wiring/audit.ts';
import { keptAuditKey } from '../wiring/audit-key.ts';
import { readConfig } from '../wiring/config.ts';
import { openLog } from '../wiring/log.ts';
import { openStore } from '../wiring/node.ts';
import { secretsFor } from '../wiring/secrets.ts';
import { fail } from '../wiring/shutdown.ts';

/** If the store is embedded, the node must be stopped first. The audit log records the reset. */
async function main(): Promise<void> {
  const [order] = process.argv.slice(2);
  if (order !== 'reset-2fa') throw new Error('Run it as: npm run operator -- reset-2fa');
  const config = readConfig(process.env);
  const log = openLog({ level: 'warn', base: {} });
  const opened = await openStore(config, log);
  try {
    const { deviceKeys, audit: given } = secretsFor(config);
    const { store, audit } = openAudit(opened, await keptAuditKey(opened, createSealer(deviceKeys), given), log);
    const [secondFactors, sessions] = [secondFactorsIn(store), operatorSessionsIn(store)];
    await store.prepare();
    const actor = { kind: 'operator', id: 'shell', name: 'shell' } as const;
    const draft = systemDraft(OPERATOR_LOG, 'operator.reset_2fa', { kind: 'operator', id: OPERATOR_FACTOR }, systemClock.now(), { actor });
    await audit.act(draft, { collection: 'second_factors' }, () => secondFactors.disable(OPERATOR_FACTOR));
    await sessions.endAll();
    process.stdout.write("The operators' second factor is off, and their sessions have ended.\n");
  } finally {
    await opened.close();
  }
}

await main().catch(fail);
