import { createCallRejection } from '../../actors/services/calls/reject-calls.ts';
import { filled, valuesOfChat } from '../../actors/services/contacts/templates.ts';
import type { FeatureServices } from './features.ts';
import type { SharedDeps } from './shared-deps.ts';

type CallShared = Pick<SharedDeps, 'config' | 'devices' | 'tenants' | 'sending' | 'device' | 'clock' | 'log'>;

export function startCallRejection(
  shared: CallShared,
  { autoReplies, consentCheck, contacts, labels }: Pick<FeatureServices, 'autoReplies' | 'consentCheck' | 'contacts' | 'labels'>,
) {
  const { config, device, clock, log } = shared;
  return createCallRejection({
    ...shared,
    turns: autoReplies,
    consentCheck,
    plans: config.plans,
    now: () => clock.now(),
    fill: (tenantId, chat, text) => filled(text, () => valuesOfChat({ contacts, labels }, tenantId, chat)),
    reject: (row, input) =>
      void device(row)
        .ask({ type: 'question', question: { name: 'calls.reject', input } })
        .catch((err) => log.debug({ err, device: row._id }, 'a call was not rejected')),
    failed: ({ code }, { tenantId, sessionId }) =>
      log.info({ event: 'call.text_skipped', tenant: tenantId, device: sessionId, code }, 'the text for a rejected call was not sent'),
  });
}
