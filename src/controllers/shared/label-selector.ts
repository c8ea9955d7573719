/** A label selector as metav1 has it. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  readonly matchExpressions?:
    | readonly {
        readonly key: string;
        readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
        readonly values?: readonly string[] | undefined;
      }[]
    | undefined;
}

type Expression = NonNullable<LabelSelector["matchExpressions"]>[number];

/** Labels are any words, also those that every object inherits. */
function labelOf(labels: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function holds({ key, operator, values = [] }: Expression, labels: Readonly<Record<string, string>>): boolean {
  const value = labelOf(labels, key);
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      return operator satisfies never;
  }
}

/** Whether labels satisfy a selector: all of its requirements; an empty selector selects everything (metav1.LabelSelector). */
export function matchesSelector(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labelOf(labels, key) === value) &&
    matchExpressions.every((expression) => holds(expression, labels))
  );
}
