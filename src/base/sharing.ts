/**
 * The same value, made of the very parts of `source` wherever these say the same: what is read of an object that is kept anyway takes no second copy of
 * it. Both are plain values, as JSON has them; `made` is nobody's yet and is changed, and nobody may change either afterwards.
 */
export function sharing<Value>(made: Value, source: unknown): Value;
export function sharing(made: unknown, source: unknown): unknown {
  if (made === source || typeof made !== "object" || typeof source !== "object") return made;
  if (made === null || source === null || Array.isArray(made) !== Array.isArray(source)) return made;
  const names = Object.keys(made);
  let isSame = names.length === Object.keys(source).length;
  for (const name of names) {
    const part: unknown = Reflect.get(made, name);
    const known: unknown = Reflect.get(source, name);
    const shared = sharing(part, known);
    if (shared !== part) Reflect.set(made, name, shared);
    isSame &&= shared === known && Object.hasOwn(source, name);
  }
  return isSame ? source : made;
}
