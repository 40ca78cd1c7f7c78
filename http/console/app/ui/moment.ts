/** A day and a time of this machine's clock, as an input of both wants it. `at`: epoch ms. */
export function localText(at: number): string {
  // Field by field: the zones of early years are minutes and seconds away from any offset in whole minutes.
  const date = new Date(at);
  const day = [padded(date.getFullYear(), 4), padded(date.getMonth() + 1), padded(date.getDate())].join('-');
  return `${day}T${padded(date.getHours())}:${padded(date.getMinutes())}`;
}

const padded = (value: number, width = 2): string => String(value).padStart(width, '0');
