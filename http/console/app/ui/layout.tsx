import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useLocation } from 'preact-iso/router';
import { BASE } from '../../pages.ts';
import { SandboxPhone } from '../sandbox/phone.tsx';
import { isPhoneShown, togglePhone } from '../sandbox/shown.ts';
import { newBuild } from '../state/build.ts';
import { liveState, wasCut } from '../state/live.ts';
import { chooseLanguage, chooseTheme, LANGUAGES, language, THEMES, theme } from '../state/preferences.ts';
import { hasSandbox } from '../state/sandbox.ts';
import { person, signOut } from '../state/session.ts';
import { common } from '../words/common.ts';
import { useAct } from './act.ts';
import { DoneAsCode } from './as-code.tsx';
import { Icon } from './icon.tsx';
import { Nav } from './nav.tsx';

/** Around every page: where one is, who one is, and whether what is shown is live. */
export function Layout({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const t = common();
  const isMenuOpen = useSignal(false);
  const { path } = useLocation();
  const isOperator = path.startsWith(`${BASE}/operator`);
  return (
    <div class={isOperator ? 'frame operator-area' : 'frame'}>
      <a class="skip" href="#main">
        {t.skip}
      </a>
      <header class="top">
        <div class="top-bar">
          <button
            type="button"
            class="button slim menu-button"
            aria-expanded={isMenuOpen.value}
            aria-controls="nav"
            onClick={() => {
              isMenuOpen.value = !isMenuOpen.value;
            }}
          >
            <Icon name="menu" />
            <span class="wide-only">{t.menu}</span>
          </button>
          <a class="brand" href={`${BASE}/`}>
            <img src={`${BASE}/icon.svg`} alt="" />
            <span class="wide-only">{t.product}</span>
          </a>
          <Controls />
        </div>
        <Banners />
      </header>
      <Nav isOperator={isOperator} isOpen={isMenuOpen.value} onLeave={() => (isMenuOpen.value = false)} />
      {children}
      {hasSandbox && isPhoneShown(path) && <SandboxPhone />}
    </div>
  );
}

function Controls(): JSX.Element {
  const t = common();
  const { path } = useLocation();
  // Of a narrow window; in a wide one all of it is seen.
  const isOpen = useSignal(false);
  return (
    <div class="top-end">
      {person.value && (
        <span class="live" data-testid="live" data-state={liveState.value}>
          {t.live[liveState.value]}
        </span>
      )}
      {hasSandbox && (
        <button
          type="button"
          class="button slim"
          data-testid="sandbox-toggle"
          aria-expanded={isPhoneShown(path)}
          onClick={() => togglePhone(path)}
        >
          <Icon name="phone" />
          <span class="wide-only">{t.phone}</span>
        </button>
      )}
      <button
        type="button"
        class="button slim account-button"
        data-testid="account"
        aria-expanded={isOpen.value}
        aria-controls="preferences"
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        <Icon name="sliders" />
        <span class="only-heard">{t.preferences}</span>
      </button>
      <div id="preferences" class={isOpen.value ? 'preferences is-open' : 'preferences'}>
        <Preferences />
        <DoneAsCode />
        <Account />
      </div>
    </div>
  );
}

function Preferences(): JSX.Element {
  const t = common();
  return (
    <>
      <select
        data-testid="language"
        aria-label={t.language}
        value={language.value}
        onChange={(event) => chooseLanguage(event.currentTarget.value)}
      >
        {LANGUAGES.map((one) => (
          <option key={one} value={one} lang={one}>
            {t.languages[one]}
          </option>
        ))}
      </select>
      <select data-testid="theme" aria-label={t.theme} value={theme.value} onChange={(event) => chooseTheme(event.currentTarget.value)}>
        {THEMES.map((one) => (
          <option key={one} value={one}>
            {t.themes[one]}
          </option>
        ))}
      </select>
    </>
  );
}

function Account(): JSX.Element | null {
  const t = common();
  const { route } = useLocation();
  const leaving = useAct();
  const leave = (): Promise<void> =>
    leaving.run(async () => {
      await signOut();
      route(`${BASE}/sign-in`);
    });
  if (!person.value) return null;
  return (
    <>
      {leaving.error.value && (
        <p class="small" role="alert">
          {leaving.error.value.message}
        </p>
      )}
      <button
        type="button"
        class="button slim"
        data-testid="sign-out"
        title={person.value.agent_name}
        disabled={leaving.isBusy.value}
        onClick={leave}
      >
        {t.signOut}
      </button>
    </>
  );
}

/** Above the page: the line is down, or another version is there. Nothing that was typed is lost by either. */
function Banners(): JSX.Element {
  const t = common();
  const isCut = Boolean(person.value) && wasCut.value && liveState.value === 'offline';
  return (
    <>
      {isCut && (
        <div class="banner" role="status" data-testid="banner">
          {t.offline}
        </div>
      )}
      {newBuild.value !== null && (
        <div class="banner" role="status">
          {t.newBuild}
          <button type="button" class="button slim" onClick={() => location.reload()}>
            {t.load}
          </button>
        </div>
      )}
    </>
  );
}
