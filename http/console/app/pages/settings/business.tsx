import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { zone } from '../../state/zone.ts';
import { useAct } from '../../ui/act.ts';
import { Choice } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { SaveForm } from '../../ui/save-form.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { words } from './words.ts';

type Profile = Schemas['BusinessProfile'];

export function Business(): JSX.Element {
  const t = words();
  const profile = useResource('profile', (signal) => call('getProfile', {}, { signal }));
  return (
    <Loaded of={profile}>
      {({ business_name, timezone, industry, industries }) => (
        <>
          <SaveForm
            title={t.business}
            about={t.businessAbout}
            data={{ business_name, timezone, industry }}
            save={async (body) => {
              const saved = await call('putProfile', { body });
              profile.put(saved);
              zone.value = saved.timezone;
              return saved;
            }}
          >
            {({ value, change, fault }) => (
              <div class="card form">
                <Field
                  label={t.name}
                  maxLength={100}
                  autocomplete="organization"
                  value={value.business_name ?? ''}
                  onValue={(name) => change({ business_name: name === '' ? null : name })}
                  fault={fault('business_name')}
                />
                <Choice
                  label={t.timezone}
                  hint={t.timezoneHint}
                  value={value.timezone}
                  options={zonesWith(value.timezone).map((one) => [one, one])}
                  onValue={(timezone) => change({ timezone })}
                />
                <Choice
                  label={t.industry}
                  value={value.industry ?? ''}
                  options={[['', t.noIndustry], ...industries.map((one): readonly [string, string] => [one, spelled(one)])]}
                  onValue={(one) => change({ industry: industryOf(one) })}
                />
              </div>
            )}
          </SaveForm>
          <StarterPack key={industry} industry={industry} />
        </>
      )}
    </Loaded>
  );
}

const zonesWith = (stored: string): readonly string[] => [...new Set([...Intl.supportedValuesOf('timeZone'), stored])].sort();

const spelled = (industry: string): string => industry.replaceAll('_', ' ');

const INDUSTRIES: Readonly<Record<NonNullable<Profile['industry']>, true>> = {
  ecommerce: true,
  retail: true,
  restaurant: true,
  healthcare: true,
  beauty: true,
  fitness: true,
  education: true,
  real_estate: true,
  automotive: true,
  travel: true,
  hospitality: true,
  logistics: true,
  finance: true,
  insurance: true,
  saas: true,
  professional_services: true,
  events: true,
  nonprofit: true,
  government: true,
  other: true,
};

const isIndustry = (value: string): value is NonNullable<Profile['industry']> => Object.hasOwn(INDUSTRIES, value);
const industryOf = (value: string): Profile['industry'] => (isIndustry(value) ? value : null);

/** The pack of the saved industry, so that the page asks for the industry only once. */
function StarterPack({ industry }: { readonly industry: string | null }): JSX.Element {
  const t = words();
  const packs = useResource('packs', (signal) => call('listOnboardingPacks', {}, { signal }));
  const added = useSignal<Schemas['ApplyOnboardingPackResponse'] | null>(null);
  const adding = useAct();
  const add = (chosen: string): Promise<void> =>
    adding.run(async () => {
      added.value = await call('applyOnboardingPack', { params: { industry: chosen }, body: {} });
    });
  return (
    <Loaded of={packs}>
      {(all) => {
        const pack = all.packs.find((one) => one.industry === industry);
        return (
          <section class="card form">
            <h2>{t.pack}</h2>
            <p class="soft">{t.packAbout}</p>
            {!pack && <p>{t.packNeedsIndustry}</p>}
            {adding.error.value && pack && <Failure error={adding.error.value} onRetry={() => add(pack.industry)} />}
            {pack && (
              <div class="row">
                <button
                  type="button"
                  class="button"
                  data-testid="add-pack"
                  disabled={adding.isBusy.value}
                  onClick={() => add(pack.industry)}
                >
                  {t.addPack(pack.title)}
                </button>
                <span role="status" class="small soft">
                  {added.value && t.packAdded(added.value.templates, added.value.auto_replies, added.value.tags)}
                </span>
              </div>
            )}
          </section>
        );
      }}
    </Loaded>
  );
}
