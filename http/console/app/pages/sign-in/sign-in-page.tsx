import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { BASE } from '../../../pages.ts';
import { answered } from '../../api/request.ts';
import { showPhone } from '../../state/sandbox.ts';
import { person, signIn } from '../../state/session.ts';
import { useAct } from '../../ui/act.ts';
import { Field } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Page } from '../../ui/page.tsx';
import { Failure } from '../../ui/states.tsx';
import { hasPasskeys, signInWithPasskey } from './passkey.ts';
import { words } from './words.ts';

export function SignInPage(): JSX.Element {
  const t = words();
  return (
    <Door isNew={false} title={t.signIn} about={t.signInAbout}>
      {t.newHere} <a href={`${BASE}/sign-up${location.search}`}>{t.createAccount}</a>
    </Door>
  );
}

export function SignUpPage(): JSX.Element {
  const t = words();
  return (
    <Door isNew title={t.signUp} about={t.signUpAbout}>
      {t.known} <a href={`${BASE}/sign-in${location.search}`}>{t.signIn}</a>
    </Door>
  );
}

interface DoorProps {
  readonly isNew: boolean;
  readonly title: string;
  readonly about: string;
  readonly children: ComponentChildren;
}

type Step = { readonly ask: 'phone' } | { readonly ask: 'code' } | { readonly ask: 'factor'; readonly challenge: string };

function Door({ isNew, title, about, children }: DoorProps): JSX.Element {
  const t = words();
  const step = useSignal<Step>({ ask: 'phone' });
  const [name, phone, code] = [useSignal(''), useSignal(''), useSignal('')];
  const acting = useAct();
  const form = useRef<HTMLFormElement>(null);
  useWayOn();
  useEffect(() => {
    if (step.value.ask !== 'phone') form.current?.querySelector('input')?.focus();
  }, [step.value]);
  const submit = (): Promise<void> =>
    acting.run(async () => {
      step.value = await nextStep(step.value, { isNew, name: name.value, phone: phone.value, code: code.value.trim() });
      code.value = '';
    });
  return (
    <Page title={title} about={step.value.ask === 'phone' ? about : undefined} width="narrow">
      <form
        class="form"
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {step.value.ask === 'phone' && isNew && (
          <Field
            label={t.name}
            value={name.value}
            onValue={(value) => (name.value = value)}
            autocomplete="organization"
            required
            maxLength={100}
            testId="sign-up-name"
          />
        )}
        {step.value.ask === 'phone' && (
          <Field
            label={t.phone}
            hint={t.phoneHint}
            value={phone.value}
            onValue={(value) => {
              phone.value = value;
              showPhone(value);
            }}
            type="tel"
            autocomplete="tel"
            required
            testId="sign-in-phone"
          />
        )}
        {step.value.ask !== 'phone' && (
          <Field
            label={step.value.ask === 'code' ? t.code : t.factor}
            hint={step.value.ask === 'code' ? t.codeHint(phone.value) : t.factorHint}
            value={code.value}
            onValue={(value) => (code.value = value)}
            inputMode={step.value.ask === 'code' ? 'numeric' : 'text'}
            autocomplete="one-time-code"
            class="code-input"
            required
            testId="sign-in-code"
          />
        )}
        {acting.error.value && <Failure error={acting.error.value} onRetry={submit} />}
        <button type="submit" class="button first" data-testid="sign-in-submit" disabled={acting.isBusy.value}>
          {step.value.ask === 'phone' ? t.sendCode : t.finish}
        </button>
        {step.value.ask !== 'phone' && (
          <button type="button" class="button plain" onClick={() => (step.value = { ask: 'phone' })}>
            {t.other}
          </button>
        )}
        {step.value.ask === 'phone' && !isNew && hasPasskeys() && (
          <>
            <p class="or">{t.or}</p>
            <button
              type="button"
              class="button"
              disabled={acting.isBusy.value}
              onClick={() => acting.run(() => signInWithPasskey(t.noPasskey))}
            >
              <Icon name="key" small />
              {t.passkey}
            </button>
          </>
        )}
      </form>
      {!isSecureContext && <p class="notice warn small">{t.notKept}</p>}
      <p class="door-foot small">{children}</p>
    </Page>
  );
}

interface Typed {
  readonly isNew: boolean;
  readonly name: string;
  readonly phone: string;
  readonly code: string;
}

async function nextStep(step: Step, { isNew, name, phone, code }: Typed): Promise<Step> {
  if (step.ask === 'phone') {
    if (isNew) await answered({ method: 'POST', path: '/auth/register', body: { name, phone } });
    else await answered({ method: 'POST', path: '/auth/request-otp', body: { phone } });
    return { ask: 'code' };
  }
  const challenge = await signIn(step.ask === 'code' ? { phone, code } : { challenge: step.challenge, code });
  return challenge === null ? step : { ask: 'factor', challenge };
}

function useWayOn(): void {
  const { query, route } = useLocation();
  const who = person.value;
  useEffect(() => {
    if (who) route(wayOn(query['next'], who.role), true);
  }, [who]);
}

/** Accepts only paths of the console, because `//host` and `/\host` lead to other sites. */
function wayOn(next: string | undefined, role: 'admin' | 'agent'): string {
  const start = role === 'agent' ? `${BASE}/inbox` : `${BASE}/`;
  if (next === undefined || !URL.canParse(next, location.origin)) return start;
  const { origin, pathname, search } = new URL(next, location.origin);
  return origin === location.origin && pathname.startsWith(`${BASE}/`) ? pathname + search : start;
}
