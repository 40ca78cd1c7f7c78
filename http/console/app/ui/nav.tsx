import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLocation } from 'preact-iso/router';
import { keep, kept } from '../state/kept.ts';
import { unread } from '../state/unread.ts';
import { common } from '../words/common.ts';
import { currentOf, type Entry, FOLDED_AT_FIRST, type Group, hrefOf, isGroup, type Named } from './entries.ts';
import { Icon } from './icon.tsx';
import { UnreadCount } from './unread.tsx';

const folded = signal<ReadonlySet<string>>(new Set(kept('folded')?.split(',') ?? FOLDED_AT_FIRST));

function setFolded(group: string, isFolded: boolean): void {
  const next = new Set(folded.value);
  if (isFolded) next.add(group);
  else next.delete(group);
  folded.value = next;
  keep('folded', [...next].join());
}

const flownOut = signal<string | null>(null);

interface NavProps {
  readonly entries: readonly (Entry | Group)[];
  readonly isRail?: boolean;
  readonly isWhole?: boolean;
  readonly onLeave?: () => void;
}

export function Nav({ entries, isRail = false, isWhole = false, onLeave }: NavProps): JSX.Element {
  const t = common();
  const { path } = useLocation();
  const current = currentOf(entries, path);
  const leave = (): void => {
    flownOut.value = null;
    onLeave?.();
  };
  return (
    <nav id="nav" class="nav" aria-label={t.pages}>
      <ul>
        {entries.map((one) =>
          isGroup(one) ? (
            <GroupOf key={one.group} {...one} current={current} isRail={isRail} isWhole={isWhole} onLeave={leave} />
          ) : (
            <li key={one.page}>
              <PageLink page={one.page} current={current} onLeave={leave}>
                <Icon name={one.icon} />
              </PageLink>
            </li>
          ),
        )}
      </ul>
    </nav>
  );
}

interface GroupProps extends Group {
  readonly current: Named | null;
  readonly isRail: boolean;
  readonly isWhole: boolean;
  readonly onLeave: () => void;
}

function GroupOf({ group, icon, pages, current, isRail, isWhole, onLeave }: GroupProps): JSX.Element {
  const name = common().groups[group];
  const isHere = current !== null && pages.includes(current);
  const isOpen = isWhole || (isRail ? flownOut.value === group : isHere || !folded.value.has(group));
  const id = `group-${group}`;
  const toggle = (): void => {
    if (isRail) flownOut.value = isOpen ? null : group;
    else setFolded(group, isOpen);
  };
  return (
    <li class={isHere ? 'nav-group is-here' : 'nav-group'}>
      {isWhole ? (
        <h3>{name}</h3>
      ) : (
        <button type="button" title={isRail ? name : undefined} aria-expanded={isOpen} aria-controls={id} onClick={toggle}>
          <Icon name={icon} />
          <span class="nav-name">{name}</span>
          <Icon name="down" small />
        </button>
      )}
      {isOpen && (
        <ul id={id}>
          {pages.map((page) => (
            <li key={page}>
              <PageLink page={page} current={current} onLeave={onLeave} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

interface LinkProps {
  readonly page: Named;
  readonly current: Named | null;
  readonly onLeave: () => void;
  readonly children?: JSX.Element;
}

const PageLink = ({ page, current, onLeave, children }: LinkProps): JSX.Element => (
  <a href={hrefOf(page)} aria-current={current === page ? 'page' : undefined} onClick={onLeave}>
    {children}
    <span class="nav-name">{common().nav[page]}</span>
    {page === 'inbox' && <UnreadCount count={unread.value.all} />}
  </a>
);
