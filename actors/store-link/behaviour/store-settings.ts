import type { ScheduledRow } from '../../../store/scheduling/scheduled.ts';
import type { StoreLinkOwner, StoreLinkRow } from '../../../store/store-links/links.ts';
import type { Shop } from '../../../store/store-links/shops.ts';
import { zoneOfPhone } from '../../domain/phone-zones.ts';
import { settingsOf } from '../../domain/settings.ts';
import type { StoreAction, StoreSettings } from '../protocol.ts';
import { storeMessageId } from './message-id.ts';
import { scheduledText } from './scheduled-text.ts';

const MINUTE_MS = 60_000;

export function settingsFor({ link, tenant, hasDevice }: Shop, phone: string | null): StoreSettings {
  const { enabled, zone, ...hours } = settingsOf(tenant).send_window;
  const ownZone = zone === 'recipient' && phone !== null ? zoneOfPhone(phone) : null;
  return {
    name: link.name,
    enabled: link.enabled,
    hasSession: hasDevice,
    isSuspended: tenant.suspended,
    templates: link.templates,
    abandonedDelayMs: link.abandoned_delay_min * MINUTE_MS,
    onlyMarketing: link.abandoned_only_marketing,
    reminderWindow: enabled ? { hours, zone: ownZone ?? tenant.profile.timezone } : null,
  };
}

export function scheduledRowOf(
  owner: StoreLinkOwner,
  link: StoreLinkRow,
  { kind, of, phone, text, at }: Extract<StoreAction, { do: 'schedule' }>,
  madeAt: number,
): ScheduledRow {
  const { tenantId, linkId } = owner;
  const id = storeMessageId(owner, kind, of);
  const row = { ...scheduledText({ id, tenantId, sessionId: link.session_id ?? '', phone, text, at, madeAt }), store: linkId };
  return kind === 'abandoned_checkout' ? { ...row, reminder: { link_id: linkId, checkout_id: of } } : row;
}
