import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useLocation } from 'preact-iso/router';
import { BASE } from '../../pages.ts';
import { isPhoneShown, togglePhone } from '../sandbox/shown.ts';
import { newBuild } from '../state/build.ts';
import { keep, kept } from '../state/kept.ts';
import { liveState, wasCut } from '../state/live.ts';
import { hasSandbox } from '../state/sandbox.ts';
import { person } from '../state/session.ts';
import { unread } from '../state/unread.ts';
import { common } from '../words/common.ts';
import { Account, Live, Preferences } from './account.tsx';
import { DoneAsCode } from './as-code.tsx';
import { Dialog } from './dialog.tsx';
import { currentOf, type Entry, type Group, hrefOf, OF_AGENT, OF_BAR, OF_OPERATOR, OF_OWNER } from './entries.ts';
import { Icon } from './icon.tsx';
import { late } from './late.tsx';
import { Nav } from './nav.tsx';
import { PaletteButton, PaletteKey } from './palette-opener.tsx';
import { Toasts } from './toasts.tsx';
import { UnreadCount } from './unread.tsx';
import { isNarrow, isTight } from './window-size.ts';

const FrameWork = late(() => import('./frame-work.tsx').then((module) => module.FrameWork));
const SandboxPhone = late(() => import('../sandbox/phone.tsx').then((module) => module.SandboxPhone));

export function Layout({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const { path } = useLocation();
  const isOperator = path.startsWith(`${BASE}/operator`);
  const entries = isOperator ? OF_OPERATOR : entriesOf(person.value?.role);
  const railChosen = useSignal(kept('rail'));
  const isRail = railChosen.value === null ? isTight.value && path.startsWith(`${BASE}/inbox`) : railChosen.value === 'yes';
  const toggleRail = (): void => {
    railChosen.value = isRail ? 'no' : 'yes';
    keep('rail', railChosen.value);
  };
  const isAlone = entries.length === 0;
  const hasSide = !isAlone && !isNarrow.value;
  const hasPhone = hasSandbox && isPhoneShown(path);
  const shape = [
    isAlone ? 'alone' : isNarrow.value ? 'narrow-frame' : 'with-side',
    hasSide && isRail && 'rail',
    isOperator && 'operator-area',
  ];
  return (
    <div class={['frame', ...shape].filter(Boolean).join(' ')}>
      <a class="skip" href="#main">
        {common().skip}
      </a>
      {hasSide && <Side entries={entries} isRail={isRail} isOperator={isOperator} onRail={toggleRail} />}
      {isAlone && (
        <header class="only-brand">
          <Brand isOperator={false} />
        </header>
      )}
      {isNarrow.value && !isAlone && <TopBar isOperator={isOperator} />}
      <div class="content">
        <Banners />
        {children}
      </div>
      {isNarrow.value && entries.length > 1 && !FILLS_WINDOW.test(path) && <BottomBar entries={entries} />}
      {(isAlone || (isNarrow.value && isOperator)) && <Foot isAlone={isAlone} isOperator={isOperator} />}
      <Toasts />
      {hasPhone && <SandboxPhone />}
      {!isAlone && !isOperator && (
        <>
          <PaletteKey entries={entries} />
          <FrameWork onRail={toggleRail} />
        </>
      )}
    </div>
  );
}

const Foot = ({ isAlone, isOperator }: { readonly isAlone: boolean; readonly isOperator: boolean }): JSX.Element => (
  <footer class="foot">
    {isAlone && <PhoneToggle />}
    <Preferences />
    {isOperator && <DoneAsCode />}
  </footer>
);

/** Pages that need a phone's full height: a chat, and forms with several steps. */
const FILLS_WINDOW = new RegExp(`^${BASE}/(inbox/[^/]+/[^/]+|campaigns/new|contacts/import)/?$`);

const entriesOf = (role: 'admin' | 'agent' | undefined): readonly (Entry | Group)[] =>
  role === 'admin' ? OF_OWNER : role === 'agent' ? OF_AGENT : [];

interface SideProps {
  readonly entries: readonly (Entry | Group)[];
  readonly isRail: boolean;
  readonly isOperator: boolean;
  readonly onRail: () => void;
}

function Side({ entries, isRail, isOperator, onRail }: SideProps): JSX.Element {
  const t = common();
  return (
    <header class="side">
      <div class="side-head">
        <Brand isOperator={isOperator} />
        <button
          type="button"
          class="button plain slim icon-only"
          data-testid="nav-toggle"
          aria-pressed={isRail}
          title={isRail ? t.widen : t.narrow}
          onClick={onRail}
        >
          <Icon name="menu" small />
          <span class="only-heard">{isRail ? t.widen : t.narrow}</span>
        </button>
      </div>
      {!isOperator && <PaletteButton />}
      <Nav entries={entries} isRail={isRail} />
      <div class="side-foot">
        <PhoneToggle />
        {isOperator && (
          <div class="open-preferences">
            <Preferences />
            <DoneAsCode />
          </div>
        )}
        <WhoIsHere isOperator={isOperator} />
      </div>
    </header>
  );
}

const WhoIsHere = ({ isOperator }: { readonly isOperator: boolean }): JSX.Element | null =>
  person.value ? (
    <Account name={person.value.agent_name} isBare={isOperator}>
      <Live />
    </Account>
  ) : null;

const Brand = ({ isOperator }: { readonly isOperator: boolean }): JSX.Element => (
  <a class="brand" href={isOperator ? `${BASE}/operator` : `${BASE}/`}>
    <img src={`${BASE}/icon.svg`} alt="" />
    <b class="brand-name">
      <bdi>{isOperator ? common().operatorArea : (person.value?.name ?? common().product)}</bdi>
    </b>
  </a>
);

function PhoneToggle(): JSX.Element | null {
  const t = common();
  const { path } = useLocation();
  if (!hasSandbox) return null;
  return (
    <button
      type="button"
      class="menu-item"
      data-testid="sandbox-toggle"
      aria-expanded={isPhoneShown(path)}
      title={t.phone}
      onClick={() => togglePhone(path)}
    >
      <Icon name="phone" />
      <span class="nav-name">{t.phone}</span>
    </button>
  );
}

function TopBar({ isOperator }: { readonly isOperator: boolean }): JSX.Element {
  return (
    <header class="top-bar">
      <Brand isOperator={isOperator} />
      <PhoneToggle />
      <WhoIsHere isOperator={isOperator} />
    </header>
  );
}

function BottomBar({ entries }: { readonly entries: readonly (Entry | Group)[] }): JSX.Element {
  const t = common();
  const { path } = useLocation();
  const isOpen = useSignal(false);
  const few = entries === OF_OWNER ? OF_BAR : OF_OPERATOR;
  const current = currentOf(entries, path);
  return (
    <>
      <nav class="bottom-bar" aria-label={t.short}>
        {few.map(({ page, icon }) => (
          <a key={page} href={hrefOf(page)} aria-current={current === page ? 'page' : undefined}>
            <Icon name={icon} />
            {t.nav[page]}
            {page === 'inbox' && <UnreadCount count={unread.value.all} />}
          </a>
        ))}
        {entries === OF_OWNER && (
          <button type="button" aria-haspopup="dialog" onClick={() => (isOpen.value = true)}>
            <Icon name="more" />
            {t.menu}
          </button>
        )}
      </nav>
      <Dialog title={t.pages} isOpen={isOpen.value} onClose={() => (isOpen.value = false)}>
        {isOpen.value && <Nav entries={entries} isWhole onLeave={() => (isOpen.value = false)} />}
      </Dialog>
    </>
  );
}

function Banners(): JSX.Element {
  const t = common();
  const isCut = Boolean(person.value) && wasCut.value && liveState.value === 'offline';
  return (
    <div class="banners">
      {isCut && (
        <div class="banner" role="status" data-testid="banner">
          <Icon name="offline" />
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
    </div>
  );
}
