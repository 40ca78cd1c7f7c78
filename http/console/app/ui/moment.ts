export function localText(at: number): string {
  // Uses local date fields, because UTC offsets of early years are not whole minutes.
  const date = new Date(at);
  const day = [padded(date.getFullYear(), 4), padded(date.getMonth() + 1), padded(date.getDate())].join('-');
  return `${day}T${padded(date.getHours())}:${padded(date.getMinutes())}`;
}

const padded = (value: number, width = 2): string => String(value).padStart(width, '0');
