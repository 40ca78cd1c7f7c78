import Joi from 'joi';
import { scribeOf } from '../../actors/crm/contacts.ts';
import { addReplies } from '../../actors/onboarding/add-replies.ts';
import { type Added, addTags, addTemplates, type ChosenPack, type Language } from '../../actors/onboarding/apply.ts';
import { type ChecklistPorts, checklistOf, STEPS, type StepName } from '../../actors/onboarding/checklist.ts';
import { PACKS } from '../../actors/onboarding/packs/index.ts';
import { INDUSTRIES } from '../../actors/profile.ts';
import { refusal } from '../../actors/refusals.ts';
import type { AutoReplies } from '../../store/auto-replies.ts';
import type { DeviceRow, Devices } from '../../store/devices.ts';
import type { Tenants } from '../../store/tenants.ts';
import type { WordLists } from '../../store/words.ts';
import { type Area, type Call, type Caller, type Lang, rowsFor } from '../row.ts';
import { Ulid } from '../schemas.ts';

export interface OnboardingWorld extends ChecklistPorts {
  readonly tenants: Pick<Tenants, 'find'>;
  readonly words: WordLists;
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
    .description('They answer messages that contain `trigger_text`'),
}).meta({ title: 'OnboardingPack' });

const oneIndustry = Joi.object<{ industry: string }>({
  industry: Joi.string().max(40).required().description(INDUSTRIES.join(', ')).example('restaurant'),
});
const row = rowsFor<OnboardingWorld>();

export const onboarding: Area<OnboardingWorld> = {
  name: 'onboarding',
  about: 'First steps of a business, and what somebody of its trade starts with',
  rows: [
    row({
      id: 'getOnboarding',
      method: 'GET',
      path: '/v1/onboarding',
      summary: 'The first steps and which of them are done, as the records say',
      access: 'bearer',
      status: 200,
      returns: Joi.object({
        done: Joi.boolean().required(),
        industry: Joi.string().allow(null).required().description('Of the profile: names the pack'),
        steps: Joi.array()
          .items(Joi.object({ step: Steps.required(), title: Joi.string().required(), done: Joi.boolean().required() }))
          .required(),
      }),
      async run(world, { caller, lang, now }) {
        const { industry, done } = await checklistOf(world, caller.tenantId, now);
        const steps = stepsIn(lang, done);
        return { done: steps.every((step) => step.done), industry, steps };
      },
    }),
    row({
      id: 'listOnboardingPacks',
      method: 'GET',
      path: '/v1/onboarding/packs',
      summary: 'All packs, one for each industry',
      access: 'bearer',
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
      run: (_world, { lang }) => ({
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
      summary: 'What is in a pack',
      access: 'bearer',
      params: oneIndustry,
      query: Joi.object<Chosen>({ language: LanguageName }),
      status: 200,
      returns: PackSchema,
      refuses: ['NOT_FOUND'],
      run: async (world, { caller, params, query }) => toPack(await chosen(world, caller.tenantId, params.industry, query)),
    }),
    row({
      id: 'applyOnboardingPack',
      method: 'POST',
      path: '/v1/onboarding/packs/{industry}/apply',
      summary:
        'Add the templates and tags of a pack, and with `session_id` its automatic answers to that device. Applied again it adds only what is not there',
      access: 'bearer',
      agents: false,
      params: oneIndustry,
      body: Joi.object<Applying>({ session_id: Ulid.description('The device that is to answer'), language: LanguageName }),
      status: 200,
      returns: Joi.object<Added>({ templates: Count, tags: Count, auto_replies: Count }).description('How many were added'),
      refuses: ['NOT_FOUND', 'LIMIT_REACHED'],
      run: apply,
    }),
  ],
};

const stepsIn = (lang: Lang, done: ReadonlySet<StepName>) =>
  Object.entries(STEPS).map(([step, title]) => ({ step, title: title[lang], done: done.has(step as StepName) }));

async function apply(world: OnboardingWorld, { caller, params, body, now }: Call<{ industry: string }, unknown, Applying>): Promise<Added> {
  const { tenantId } = caller;
  const pack = await chosen(world, tenantId, params.industry, body);
  const device = body.session_id === undefined ? null : await deviceOf(world, caller, body.session_id);
  const tags = await addTags(await scribeOf(world, tenantId, now), pack);
  const templates = await addTemplates(world.words, tenantId, pack, now);
  return { tags, templates, auto_replies: device ? await addReplies(world.autoReplies, device, pack, now) : 0 };
}

async function deviceOf({ devices }: OnboardingWorld, { tenantId, key }: Caller, sessionId: string): Promise<DeviceRow> {
  const device = await devices.find(tenantId, sessionId);
  if (!device) throw refusal('NOT_FOUND', { reason: 'session_id' });
  if (key?.sessionIds && !key.sessionIds.includes(sessionId)) throw refusal('FORBIDDEN');
  return device;
}

async function chosen({ tenants }: OnboardingWorld, tenantId: string, industry: string, { language }: Chosen): Promise<ChosenPack> {
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
