import { createSender } from '../../actors/services/accounts/platform-sender.ts';
import type { EventLog } from '../../actors/services/events/event-log.ts';
import { createSecurityWatch, type SecurityWatch } from '../../actors/services/security/security-watch.ts';
import { networkOf } from '../../http/core/caller-address.ts';
import { securityNoticesIn } from '../../store/security/security-notices.ts';
import type { SharedDeps } from './shared-deps.ts';

export function startSecurity(parts: SharedDeps & { readonly eventLog: EventLog }): SecurityWatch {
  const { auditLog, clock, log, sealer, store } = parts;
  const now = (): number => clock.now();
  const watch = createSecurityWatch({
    ...parts,
    notices: securityNoticesIn(store),
    now,
    addressHash: (tenantId, address) => sealer.keyedHash(tenantId, `address ${networkOf(address)}`),
    sendText: createSender({ ...parts, now }).send,
    failed: (tenant, cause) =>
      log.warn({ event: 'security.notice_delayed', err: cause, tenant }, 'a security notice could not be sent; this will be retried'),
  });
  auditLog.onAppended(watch.written);
  return watch;
}
