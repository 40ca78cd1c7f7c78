import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { BASE } from '../../pages.ts';
import { liveState } from '../state/live.ts';
import { chooseLanguage, chooseTheme, LANGUAGES, language, THEMES, theme } from '../state/preferences.ts';
import { person, signOut } from '../state/session.ts';
import { common } from '../words/common.ts';
import { useAct } from './act.ts';
import { DoneAsCode } from './as-code.tsx';
import { useDismiss } from './dismiss.ts';
import { Icon } from './icon.tsx';
import { isKeyListOpen } from './key-list-open.ts';

export function Preferences(): JSX.Element {
  const t = common();
  return (
    <>
      <label class="set">
        <Icon name="languages" small />
        <span>{t.language}</span>
        <select data-testid="language" value={language.value} onChange={(event) => chooseLanguage(event.currentTarget.value)}>
          {LANGUAGES.map((one) => (
            <option key={one} value={one} lang={one}>
              {t.languages[one]}
            </option>
          ))}
        </select>
      </label>
      <label class="set">
        <Icon name="moon" small />
        <span>{t.theme}</span>
        <select data-testid="theme" value={theme.value} onChange={(event) => chooseTheme(event.currentTarget.value)}>
          {THEMES.map((one) => (
            <option key={one} value={one}>
              {t.themes[one]}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}

export const Live = (): JSX.Element => (
  <span class="live" data-testid="live" data-state={liveState.value}>
    {common().live[liveState.value]}
  </span>
);

interface AccountProps {
  readonly name: string;
  readonly isBare?: boolean;
  readonly children: JSX.Element;
}

export function Account({ name, isBare = false, children }: AccountProps): JSX.Element {
  const t = common();
  const isOpen = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  const close = (): void => {
    isOpen.value = false;
  };
  useDismiss(box, isOpen.value, close, 'button');
  return (
    <div class="account" ref={box}>
      <button
        type="button"
        class="account-button"
        data-testid="account"
        title={t.account}
        aria-expanded={isOpen.value}
        aria-controls="account-menu"
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        <span class="face" aria-hidden="true">
          {initialsOf(name)}
        </span>
        <span class="who">
          <b>
            <bdi>{name}</bdi>
          </b>
          {children}
        </span>
        <Icon name="down" small />
      </button>
      <section id="account-menu" class="menu-list" aria-label={t.account} hidden={!isOpen.value}>
        {!isBare && <Preferences />}
        {!isBare && <DoneAsCode />}
        {!isBare && (
          <button type="button" class="menu-item" aria-haspopup="dialog" onClick={() => (isKeyListOpen.value = true)}>
            <Icon name="command" small />
            {t.keys}
          </button>
        )}
        <SignOut />
      </section>
    </div>
  );
}

function SignOut(): JSX.Element {
  const t = common();
  const { route } = useLocation();
  const leaving = useAct();
  const leave = (): Promise<void> =>
    leaving.run(async () => {
      await signOut();
      route(`${BASE}/sign-in`);
    });
  return (
    <>
      {leaving.error.value && (
        <p class="small" role="alert">
          {leaving.error.value.message}
        </p>
      )}
      <button
        type="button"
        class="menu-item"
        data-testid="sign-out"
        title={person.value?.agent_name}
        disabled={leaving.isBusy.value}
        onClick={leave}
      >
        <Icon name="signOut" small />
        {t.signOut}
      </button>
    </>
  );
}

function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/u);
  const [first = ''] = words[0] ?? '';
  const [last = ''] = (words.length > 1 ? words.at(-1) : '') ?? '';
  return (first + last).toUpperCase();
}
