import { signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { common } from '../words/common.ts';
import { Icon } from './icon.tsx';

/** The next page is on its way: what is shown is the one before. */
export const isLeaving = signal(false);

/** How many parts of the page wait for their first data. */
export const waiting = signal(0);

interface PageProps {
  readonly title: string;
  /** One sentence below the title. */
  readonly about?: string;
  /** The page above this one: its title and its address. */
  readonly within?: readonly [title: string, href: string];
  /** In the line of the title, such as a status. */
  readonly beside?: ComponentChildren;
  /** Something is not there yet beyond what `Loaded` waits for. */
  readonly busy?: boolean;
  /** Beside the title. */
  readonly actions?: ComponentChildren;
  /** Default: lines that are easy to read; `wide`: all of the window. */
  readonly width?: 'narrow' | 'wide';
  /** The page fills the window and has a head of its own; the title is heard. */
  readonly isHeadHidden?: boolean;
  readonly children?: ComponentChildren;
}

/** What each page is: one `main` with one `h1`, and a title of its own. */
export function Page({
  title,
  about,
  within,
  beside,
  busy = false,
  actions,
  width,
  isHeadHidden = false,
  children,
}: PageProps): JSX.Element {
  useEffect(() => {
    document.title = `${title} · ${common().product}`;
  }, [title]);
  return (
    <main
      id="main"
      class={`main ${width ?? ''} ${isHeadHidden ? 'bare' : ''}`}
      aria-busy={busy || isLeaving.value || waiting.value > 0}
      tabIndex={-1}
    >
      <div class={isHeadHidden ? 'only-heard' : 'page-head'}>
        <div>
          {within && (
            <nav class="crumbs" aria-label={common().crumbs}>
              <a href={within[1]}>{within[0]}</a>
              <Icon name="right" small />
            </nav>
          )}
          <div class="title-line">
            <h1 tabIndex={-1}>
              <bdi>{title}</bdi>
            </h1>
            {beside}
          </div>
          {about && <p class="soft">{about}</p>}
        </div>
        {actions && <div class="buttons">{actions}</div>}
      </div>
      {children}
    </main>
  );
}
