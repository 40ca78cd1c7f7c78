import { newId } from '../../../runtime/ids.ts';
import type { Scheduled } from '../../../store/scheduling/scheduled.ts';
import type { StoreLinkRow } from '../../../store/store-links/links.ts';
import { renderTemplate, type TemplateValues } from '../../store-link/behaviour/message-text.ts';
import { scheduledText } from '../../store-link/behaviour/scheduled-text.ts';
import type { MessageKind } from '../../store-link/protocol.ts';

export interface TestDeps {
  readonly scheduled: Pick<Scheduled, 'put'>;
  announceScheduled(tenantId: string): Promise<void>;
}

const SAMPLE: Omit<TemplateValues, 'store'> = {
  name: 'Sari',
  order: '#1042',
  total: 'Rp 150.000',
  items: '2x T-shirt, Cap',
  status: 'paid',
  courier: 'JNE',
  tracking_number: 'CGK1234567890',
  tracking_url: 'https://example.com/track/CGK1234567890',
  checkout_url: 'https://example.com/checkout/1042',
};

export async function testStore(deps: TestDeps, link: StoreLinkRow, kind: MessageKind, phone: string, now: number): Promise<string> {
  const text = renderTemplate(link.templates[kind].text, { ...SAMPLE, store: link.name });
  const id = newId(now);
  const { tenant_id: tenantId, session_id } = link;
  const row = scheduledText({ id, tenantId, sessionId: session_id ?? '', phone, text, at: now, madeAt: now });
  await deps.scheduled.put({ ...row, store: link._id });
  await deps.announceScheduled(tenantId);
  return id;
}
