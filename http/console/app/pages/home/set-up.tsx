import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { BASE } from '../../../pages.ts';
import { Bar } from '../../ui/bar.tsx';
import { Icon } from '../../ui/icon.tsx';
import { numberText } from '../../words/formats.ts';
import { words } from './words.ts';

type Step = Schemas['GetOnboardingResponse']['steps'][number];

const PLACES: Readonly<Record<Step['step'], string>> = {
  profile: '/settings/business',
  pack: '/settings/business',
  device: '/devices',
  contacts: '/contacts',
  first_message: '/inbox',
};

export function SetUp({ steps }: { readonly steps: readonly Step[] }): JSX.Element {
  const t = words();
  const done = steps.filter((one) => one.done).length;
  return (
    <section class="card stack">
      <div class="card-head">
        <h2>{t.steps}</h2>
        <span class="small meta figures">{t.stepsOf(numberText(done), numberText(steps.length))}</span>
      </div>
      <Bar value={done} max={steps.length} />
      {done === steps.length ? (
        <p class="soft">{t.stepsDone}</p>
      ) : (
        <ul class="rows">
          {steps.map((one) => (
            <li key={one.step} data-testid="setup-step" data-done={one.done}>
              <span class={one.done ? 'check-mark is-done' : 'check-mark'}>
                {one.done && <Icon name="check" />}
                <span class="only-heard">{one.done ? t.done : t.open}</span>
              </span>
              {one.done ? (
                <span class="soft grow">{one.title}</span>
              ) : (
                <a class="grow step-link" href={BASE + PLACES[one.step]}>
                  {one.title}
                  <Icon name="right" small />
                </a>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
