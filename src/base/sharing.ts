/**
 * The same value, made of the very parts of `source` wherever these say the same: what is read of an object that is kept anyway takes no second copy of
 * it. Both are plain values, as JSON has them; whatever else is in them stays as it is made. `made` is nobody's yet and is changed, and nobody may change either
 * afterwards.
 */
export function sharing<Value>(made: Value, source: unknown): Value;
export function sharing(made: unknown, source: unknown): unknown {
  if (made === source || !isPlain(made) || !isPlain(source)) return made;
  if (Array.isArray(made) !== Array.isArray(source)) return made;
  const names = Object.keys(made);
  let isSame = names.length === Object.keys(source).length;
  for (const name of names) {
    const part: unknown = Reflect.get(made, name);
    const known: unknown = Object.hasOwn(source, name) ? Reflect.get(source, name) : undefined;
    const shared = sharing(part, known);
    if (shared !== part) Reflect.set(made, name, shared);
    isSame &&= shared === known && Object.hasOwn(source, name);
  }
  return isSame ? source : made;
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null;
}
