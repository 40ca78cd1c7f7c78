import Joi from 'joi';
import { variablesOf } from '../../../actors/domain/official-templates.ts';
import { refusal } from '../../../actors/domain/refusals.ts';
import type { OfficialTemplate, TemplateRow } from '../../../store/contacts/labels.ts';
import type { DeviceRow, Devices } from '../../../store/devices/devices.ts';
import { type Area, rowsFor } from '../../core/row.ts';
import { Done, Timestamp, Ulid } from '../../core/schemas.ts';
import { inSession } from '../params.ts';

export interface OfficialTemplateServices {
  readonly devices: Pick<Devices, 'find' | 'list'>;
  readonly officialTemplates: {
    submit(device: DeviceRow, submitted: { readonly name: string | undefined; readonly official: NewContent }): Promise<TemplateRow>;
    sync(device: DeviceRow): Promise<void>;
    remove(device: DeviceRow, official: OfficialTemplate): Promise<void>;
  };
}

type NewContent = Pick<OfficialTemplate, 'name' | 'language' | 'category' | 'components'>;
export type NewOfficialTemplate = NewContent & Pick<OfficialTemplate, 'session_id'>;

export interface ShownTemplate
  extends Pick<
    OfficialTemplate,
    'session_id' | 'name' | 'language' | 'category' | 'status' | 'quality' | 'format' | 'reason' | 'synced_at'
  > {
  readonly variables: readonly string[];
}

const CATEGORIES = ['utility', 'marketing', 'authentication'];

const Name = Joi.string()
  .pattern(/^[a-z0-9_]{1,512}$/)
  .example('order_ready');
const Language = Joi.string()
  .pattern(/^[a-z]{2,3}(_[A-Z]{2,4})?$/)
  .example('en_US');

export const NewOfficialTemplateSchema = Joi.object<NewOfficialTemplate>({
  session_id: Ulid.required().description('An official device'),
  name: Name.required().description('Lower case letters, digits and `_`'),
  language: Language.required(),
  category: Joi.string()
    .insensitive()
    .valid(...CATEGORIES)
    .required(),
  components: Joi.array()
    .items(Joi.object().unknown())
    .min(1)
    .max(10)
    .required()
    .example([{ type: 'BODY', text: 'Your order is ready. You can collect it from 9 to 5.' }])
    .description("The vendor's component objects, with examples"),
})
  .meta({ title: 'NewOfficialTemplate' })
  .description('Submits the template to the official platform instead of storing a text here');

export const OfficialTemplateSchema = Joi.object({
  session_id: Ulid.required(),
  name: Joi.string().required().example('order_ready'),
  language: Joi.string().required().example('en_US'),
  category: Joi.string().required().example('utility'),
  status: Joi.string().required().description('Only `approved` templates can be sent').example('approved'),
  quality: Joi.string().allow(null).required().example('green'),
  format: Joi.string().valid('named', 'positional').required(),
  variables: Joi.array().items(Joi.string()).required().description('The variables that a send must fill in `variables`').example(['1']),
  reason: Joi.string().allow(null).required().description('Why the template is not approved'),
  synced_at: Timestamp.required(),
})
  .allow(null)
  .meta({ title: 'OfficialTemplate' })
  .description('The state on the official platform; null for a text that exists only in this account')
  .example(null);

export function shownTemplate(official: OfficialTemplate | undefined): ShownTemplate | null {
  if (!official) return null;
  const { session_id, name, language, category, status, quality, format, components, reason, synced_at } = official;
  return { session_id, name, language, category, status, quality, format, variables: variablesOf(components), reason, synced_at };
}

export async function submit(
  { devices, officialTemplates }: OfficialTemplateServices,
  tenantId: string,
  name: string | undefined,
  { session_id, ...official }: NewOfficialTemplate,
): Promise<TemplateRow> {
  const device = await devices.find(tenantId, session_id);
  if (!device) throw refusal('NOT_FOUND', { reason: 'official.session_id' });
  if (!device.official) throw refusal('VALIDATION_FAILED', { field: 'official.session_id', reason: NOT_OFFICIAL });
  return officialTemplates.submit(device, { name, official: { ...official, category: official.category.toLowerCase() } });
}

/** Also deletes the vendor's copy of the template if one of the tenant's devices uses the account. */
export async function removeFromAccount(
  { devices, officialTemplates }: OfficialTemplateServices,
  tenantId: string,
  official: OfficialTemplate,
): Promise<void> {
  const device = (await devices.list(tenantId, null)).find((one) => one.official?.waba_id === official.waba_id);
  if (device) await officialTemplates.remove(device, official);
}

const row = rowsFor<OfficialTemplateServices>();

export const officialTemplateRows: Area<OfficialTemplateServices> = {
  name: 'official templates',
  about: 'Templates of the official platform',
  rows: [
    row({
      id: 'syncTemplates',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/templates/sync',
      summary: 'Sync official templates',
      about:
        'Start a sync of the templates from the platform. `synced_at` of each template shows when it was last synced. Templates are also synced on connect, when the platform reports a change, and every 6 hours',
      audit: { action: 'template.sync' },
      stepUp: { none: 'only reads the templates of the account' },
      access: 'bearer',
      params: inSession,
      status: 202,
      returns: Done,
      refuses: ['NOT_FOUND', 'NOT_CONNECTED', 'OVERLOADED'],
      async run({ officialTemplates }, { device }) {
        if (!device.official) throw refusal('NOT_FOUND', { reason: NOT_OFFICIAL });
        if (device.status !== 'connected') throw refusal('NOT_CONNECTED');
        await officialTemplates.sync(device);
        return { ok: true as const };
      },
    }),
  ],
};

const NOT_OFFICIAL = { en: 'this device is not on the official platform', id: 'perangkat ini bukan perangkat platform resmi' };
