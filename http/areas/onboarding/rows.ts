import Joi from 'joi';
import { refusal } from '../../../actors/domain/refusals.ts';
import { INDUSTRIES } from '../../../actors/services/accounts/profile.ts';
import { labelWriterOf } from '../../../actors/services/contacts/contacts.ts';
import { addReplies } from '../../../actors/services/onboarding/add-replies.ts';
import { type Added, addTags, addTemplates, type ChosenPack, type Language } from '../../../actors/services/onboarding/apply.ts';
import { type ChecklistDeps, checklistOf, STEPS, type StepName } from '../../../actors/services/onboarding/checklist.ts';
import { PACKS } from '../../../actors/services/onboarding/packs/index.ts';
import { entriesOf } from '../../../runtime/keys-of.ts';
import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { AutoReplies } from '../../../store/auto-reply/auto-replies.ts';
import type { LabelLists } from '../../../store/contacts/labels.ts';
import type { DeviceRow, Devices } from '../../../store/devices/devices.ts';
import { type Area, type Call, type Caller, type Lang, rowsFor } from '../../core/row.ts';
import { Ulid } from '../../core/schemas.ts';

export interface OnboardingServices extends ChecklistDeps {
  readonly tenants: Pick<Tenants, 'find'>;
  readonly labels: LabelLists;
  readonly devices: Pick<Devices, 'find' | 'list'>;
  readonly autoReplies: Pick<AutoReplies, 'change'>;
}

interface Chosen {
  readonly language?: Language;
}

interface Applying extends Chosen {
  readonly session_id?: string;
}

const LanguageName = Joi.string().valid('en', 'id').description('Default: the language of the business profile');
const Count = Joi.number().integer().min(0).required();
const Steps = Joi.string().valid(...Object.keys(STEPS));

const PackSchema = Joi.object({
  industry: Joi.string().required(),
  title: Joi.string().required(),
  language: Joi.string().required(),
  tags: Joi.array().items(Joi.string()).required(),
  templates: Joi.array()
    .items(Joi.object({ name: Joi.string().required(), body: Joi.string().required() }))
    .required(),
  auto_replies: Joi.array()
    .items(Joi.object({ name: Joi.string().required(), trigger_text: Joi.string().required(), reply_body: Joi.string().required() }))
    .required()
    .description('Automatic replies to messages that contain `trigger_text`'),
}).meta({ title: 'OnboardingPack' });

const oneIndustry = Joi.object<{ industry: string }>({
  industry: Joi.string().max(40).required().description(INDUSTRIES.join(', ')).example('restaurant'),
});
const row = rowsFor<OnboardingServices>();

export const onboarding: Area<OnboardingServices> = {
  name: 'onboarding',
  about: 'First steps of a business, and packs of templates, replies and tags for its industry',
  rows: [
    row({
      id: 'getOnboarding',
      method: 'GET',
      path: '/v1/onboarding',
      summary: 'Get the first steps',
      about: 'Get the first steps and whether they are done',
      access: 'bearer',
      status: 200,
      returns: Joi.object({
        done: Joi.boolean().required(),
        industry: Joi.string().allow(null).required().description('The industry of the profile, which determines the pack'),
        steps: Joi.array()
          .items(Joi.object({ step: Steps.required(), title: Joi.string().required(), done: Joi.boolean().required() }))
          .required(),
      }),
      async run(services, { caller, lang, now }) {
        const { industry, done } = await checklistOf(services, caller.tenantId, now);
        const steps = stepsIn(lang, done);
        return { done: steps.every((step) => step.done), industry, steps };
      },
    }),
    row({
      id: 'listOnboardingPacks',
      list: { of: 'packs' },
      method: 'GET',
      path: '/v1/onboarding/packs',
      summary: 'List industry packs',
      about: 'List the packs, one for each industry',
      access: 'bearer',
      deviceKeys: true,
      status: 200,
      returns: Joi.object({
        packs: Joi.array()
          .items(
            Joi.object({
              industry: Joi.string().required(),
              title: Joi.string().required(),
              templates: Count,
              auto_replies: Count,
              tags: Count,
            }),
          )
          .required(),
      }),
      run: (_services, { lang }) => ({
        packs: [...PACKS].map(([industry, pack]) => {
          const { title, templates, replies, tags } = pack[lang];
          return {
            industry,
            title,
            templates: Object.keys(templates).length,
            auto_replies: Object.keys(replies).length,
            tags: tags.length,
          };
        }),
      }),
    }),
    row({
      id: 'getOnboardingPack',
      method: 'GET',
      path: '/v1/onboarding/packs/{industry}',
      summary: 'Get an industry pack',
      about: 'Get the contents of a pack',
      access: 'bearer',
      deviceKeys: true,
      params: oneIndustry,
      query: Joi.object<Chosen>({ language: LanguageName }),
      status: 200,
      returns: PackSchema,
      refuses: ['NOT_FOUND'],
      run: async (services, { caller, params, query }) => toPack(await chosen(services, caller.tenantId, params.industry, query)),
    }),
    row({
      id: 'applyOnboardingPack',
      method: 'POST',
      path: '/v1/onboarding/packs/{industry}/apply',
      summary: 'Apply an industry pack',
      about:
        'Add the templates and tags of a pack, and with `session_id` its automatic replies on that device. Applying it again adds only what is missing',
      audit: { action: 'onboarding.apply' },
      stepUp: { none: 'adds data and exports none' },
      access: 'bearer',
      params: oneIndustry,
      body: Joi.object<Applying>({ session_id: Ulid.description('The device for the automatic replies'), language: LanguageName }),
      status: 200,
      returns: Joi.object<Added>({ templates: Count, tags: Count, auto_replies: Count }).description(
        'Number of templates, replies and tags that were added',
      ),
      refuses: ['NOT_FOUND', 'LIMIT_REACHED'],
      run: apply,
    }),
  ],
};

const stepsIn = (lang: Lang, done: ReadonlySet<StepName>) =>
  entriesOf(STEPS).map(([step, title]) => ({ step, title: title[lang], done: done.has(step) }));

async function apply(
  services: OnboardingServices,
  { caller, params, body, now }: Call<{ industry: string }, unknown, Applying>,
): Promise<Added> {
  const { tenantId } = caller;
  const pack = await chosen(services, tenantId, params.industry, body);
  const device = body.session_id === undefined ? null : await deviceOf(services, caller, body.session_id);
  const tags = await addTags(await labelWriterOf(services, tenantId, now), pack);
  const templates = await addTemplates(services.labels, tenantId, pack, now);
  return { tags, templates, auto_replies: device ? await addReplies(services.autoReplies, device, pack, now) : 0 };
}

async function deviceOf({ devices }: OnboardingServices, { tenantId }: Caller, sessionId: string): Promise<DeviceRow> {
  const device = await devices.find(tenantId, sessionId);
  if (!device) throw refusal('NOT_FOUND', { reason: 'session_id' });
  return device;
}

async function chosen({ tenants }: OnboardingServices, tenantId: string, industry: string, { language }: Chosen): Promise<ChosenPack> {
  const pack = PACKS.get(industry);
  if (!pack) throw refusal('NOT_FOUND');
  const spoken = language ?? (await tenants.find(tenantId))?.profile.locale ?? 'en';
  return { industry, language: spoken, text: pack[spoken] };
}

function toPack({ industry, language, text: { title, tags, templates, replies } }: ChosenPack) {
  return {
    industry,
    title,
    language,
    tags,
    templates: Object.values(templates).map(([name, body]) => ({ name, body })),
    auto_replies: Object.values(replies).map(([name, trigger_text, reply_body]) => ({ name, trigger_text, reply_body })),
  };
}
