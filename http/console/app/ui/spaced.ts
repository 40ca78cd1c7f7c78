export interface Spaced {
  ask(): void;
  stop(): void;
}

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
