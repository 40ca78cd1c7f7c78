import { Refusal } from '../../../runtime/errors.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import { templateTrouble } from '../campaigns/template-trouble.ts';
import { fillTemplate, type TemplateDeps, type Variables } from '../contacts/templates.ts';
import type { SendOrder } from '../messaging/sending.ts';

/**
 * Fills in official templates of scheduled and recurring messages. The template may have changed
 * since the message was stored, so it is checked and filled in again when the message is due.
 */

export interface AskedTemplate {
  readonly id: string;
  readonly variables: Variables;
}

export async function fillAgain(
  deps: TemplateDeps,
  device: Pick<DeviceRow, 'tenant_id' | 'official'>,
  { id, variables }: AskedTemplate,
  { chat, parts }: Pick<SendOrder, 'chat' | 'parts'>,
): Promise<Pick<SendOrder, 'body' | 'parts'> | string> {
  const trouble = await templateTrouble(deps.labels.templates, device.tenant_id, id);
  if (trouble !== null) return trouble;
  try {
    const use = { template_id: id, variables, ...(device.official && { official: device.official }) };
    const { body, caption, official } = await fillTemplate(deps, device.tenant_id, use, chat);
    return { body: body ?? caption ?? null, parts: { ...parts, ...(official && { official }) } };
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    const isOther = cause.code !== 'VALIDATION_FAILED' || cause.details['field'] === 'template_id';
    return isOther ? 'template_missing' : 'template_parameters';
  }
}
