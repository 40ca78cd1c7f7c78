import Joi from 'joi';
import { scribeOf } from '../../actors/crm/contacts.ts';
import { type Added, addTags, addTemplates, type ChosenPack, type Language } from '../../actors/onboarding/apply.ts';
import { type ChecklistPorts, checklistOf, STEPS, type StepName } from '../../actors/onboarding/checklist.ts';
import { PACKS } from '../../actors/onboarding/packs/index.ts';
import { INDUSTRIES } from '../../actors/profile.ts';
import { refusal } from '../../actors/refusals.ts';
import type { Tenants } from '../../store/tenants.ts';
import type { WordLists } from '../../store/words.ts';
import { type Area, type Call, type Lang, rowsFor } from '../row.ts';

export interface OnboardingWorld extends ChecklistPorts {
  readonly tenants: Pick<Tenants, 'find'>;
  readonly words: WordLists;
}

interface Chosen {
  readonly language?: Language;
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
      async run(world, { caller, lang }) {
        const { industry, done } = await checklistOf(world, caller.tenantId);
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
      summary: 'Add the templates and tags of a pack. Applied again it adds only what is not there',
      access: 'bearer',
      agents: false,
      params: oneIndustry,
      body: Joi.object<Chosen>({ language: LanguageName }),
      status: 200,
      returns: Joi.object<Added>({ templates: Count, tags: Count, auto_replies: Count }).description('How many were added'),
      refuses: ['NOT_FOUND', 'LIMIT_REACHED'],
      run: apply,
    }),
  ],
};

const stepsIn = (lang: Lang, done: ReadonlySet<StepName>) =>
  Object.entries(STEPS).map(([step, title]) => ({ step, title: title[lang], done: done.has(step as StepName) }));

async function apply(
  world: OnboardingWorld,
  { caller: { tenantId }, params, body, now }: Call<{ industry: string }, unknown, Chosen>,
): Promise<Added> {
  const pack = await chosen(world, tenantId, params.industry, body);
  const tags = await addTags(await scribeOf(world, tenantId, now), pack);
  return { tags, templates: await addTemplates(world.words, tenantId, pack, now), auto_replies: 0 };
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
