/**
 * The rules that diagnostics name. Ids never change and are never used for another rule. Rules about the meaning of a manifest are
 * objects in manifest/check/rules/; the texts of all others are in tools/rule-texts.ts.
 */

/** The rules that are not objects, such as `schema/unknown-key`. */
export type PlainRuleId =
  | `yaml/${'syntax' | 'several-documents' | 'duplicate-key' | 'key' | 'alias' | 'tag' | 'directive' | 'odd-character' | 'too-deep' | 'too-large'}`
  | `schema/${'unknown-key' | 'missing-key' | 'key-form' | 'type' | 'enum' | 'form' | 'range' | 'other'}`
  | `manifest/${'unreadable' | 'none-left' | 'file-name' | 'duplicate-id' | 'duplicate-name' | 'similar-name'}`
  | `example/${'contract' | 'no-endpoint'}`
  | `template/${'syntax' | 'unsupported' | 'triple-braces' | 'unknown-helper' | 'unknown-name' | 'unknown-partial' | 'argument-in-text' | 'not-a-word' | 'not-a-list' | 'recursion' | 'too-large' | 'too-many-variants' | 'odd-character'}`
  | `sql/${'error' | 'too-many-bytes'}`
  | `table/${'file-name' | 'differs' | 'missing' | 'syntax' | 'schema' | 'unknown-type' | 'duplicate-field' | 'unknown-field' | 'layout' | 'unread-file' | 'unreadable'}`
  | `function/${'file-name' | 'sql' | 'differs' | 'missing'}`
  | `tests/${'no-tests' | 'unknown-endpoint' | 'duplicate-name' | 'time' | 'table' | 'row' | 'fixture' | 'problem-with-rows' | 'unknown-column' | 'unknown-code' | 'unknown-argument'}`

/** In the areas that are listed here, rules are objects. */
export type RuleId =
  | PlainRuleId
  | `${'cache' | 'columns' | 'constants' | 'lookup' | 'manifest' | 'pages' | 'parameter' | 'refresh' | 'sql' | 'tenant'}/${string}`
