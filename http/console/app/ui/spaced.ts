/** Something that is done at most so often. */
export interface Spaced {
  /** Does it now, or as soon as it may be done again; who asks several times meanwhile gets it once. */
  ask(): void;
  /** Nothing more is done. */
  stop(): void;
}

/** Does `act` when it is asked to, with at least `apartMs` between two times. */
export function spaced(act: () => void, apartMs: number): Spaced {
  let rest: ReturnType<typeof setTimeout> | undefined;
  let isAsked = false;

  function now(): void {
    isAsked = false;
    rest = setTimeout(rested, apartMs);
    act();
  }

  function rested(): void {
    rest = undefined;
    if (isAsked) now();
  }

  return {
    ask() {
      if (rest === undefined) now();
      else isAsked = true;
    },
    stop: () => clearTimeout(rest),
  };
}
