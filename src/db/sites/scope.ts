import type {
  DeleteQueryNode,
  InsertQueryNode,
  KyselyPlugin,
  OnConflictNode,
  OperationNode,
  QueryId,
  SelectQueryNode,
  UpdateQueryNode,
  WithNode,
} from 'kysely'
import {
  AliasNode,
  AndNode,
  BinaryOperationNode,
  ColumnNode,
  IdentifierNode,
  type JoinNode,
  OnNode,
  OperationNodeTransformer,
  OperatorNode,
  ParensNode,
  PrimitiveValueListNode,
  ReferenceNode,
  TableNode,
  ValueListNode,
  ValueNode,
  ValuesNode,
  WhereNode,
} from 'kysely'

/**
 * The first isolation layer between sites on PostgreSQL: adds `site = N` for every table that a statement names, and the
 * site to every row that it inserts, so that callers write their queries as if no other site existed.
 */
export function siteScope(site: number): KyselyPlugin {
  return {
    transformQuery: ({ node, queryId }) => {
      if (!scopedRoots.has(node.kind)) throw new Error(`A site's statement cannot be a ${node.kind}.`)
      return new SiteScope(site).transformNode(node, queryId)
    },
    transformResult: async ({ result }) => result,
  }
}

const scopedRoots: ReadonlySet<string> = new Set([
  'SelectQueryNode',
  'InsertQueryNode',
  'UpdateQueryNode',
  'DeleteQueryNode',
])

class SiteScope extends OperationNodeTransformer {
  readonly #site: number
  readonly #withNames = new Set<string>()

  constructor(site: number) {
    super()
    this.#site = site
  }

  protected override transformSelectQuery(node: SelectQueryNode, queryId?: QueryId): SelectQueryNode {
    const scoped = super.transformSelectQuery(node, queryId)
    const crossed = (scoped.joins ?? []).filter((join) => !join.on).map((join) => join.table)
    const tables = [...(scoped.from?.froms ?? []), ...crossed]
    return { ...scoped, ...this.#narrowed(scoped.where, tables) }
  }

  protected override transformUpdateQuery(node: UpdateQueryNode, queryId?: QueryId): UpdateQueryNode {
    const scoped = super.transformUpdateQuery(node, queryId)
    const tables = [...(scoped.table ? [scoped.table] : []), ...(scoped.from?.froms ?? [])]
    return { ...scoped, ...this.#narrowed(scoped.where, tables) }
  }

  protected override transformDeleteQuery(node: DeleteQueryNode, queryId?: QueryId): DeleteQueryNode {
    const scoped = super.transformDeleteQuery(node, queryId)
    const tables = [...scoped.from.froms, ...(scoped.using?.tables ?? [])]
    return { ...scoped, ...this.#narrowed(scoped.where, tables) }
  }

  protected override transformInsertQuery(node: InsertQueryNode, queryId?: QueryId): InsertQueryNode {
    const scoped = super.transformInsertQuery(node, queryId)
    if (!scoped.values || !ValuesNode.is(scoped.values) || !scoped.columns) {
      throw new Error("A site's rows are inserted by value.")
    }
    const rows = scoped.values.values.map((row) =>
      PrimitiveValueListNode.is(row)
        ? PrimitiveValueListNode.create([this.#site, ...row.values])
        : ValueListNode.create([ValueNode.create(this.#site), ...row.values]),
    )
    return { ...scoped, columns: [siteColumn, ...scoped.columns], values: ValuesNode.create(rows) }
  }

  protected override transformOnConflict(node: OnConflictNode, queryId?: QueryId): OnConflictNode {
    const scoped = super.transformOnConflict(node, queryId)
    return scoped.columns ? { ...scoped, columns: [siteColumn, ...scoped.columns] } : scoped
  }

  protected override transformJoin(node: JoinNode, queryId?: QueryId): JoinNode {
    const scoped = super.transformJoin(node, queryId)
    const [isOfSite] = this.#conditions([scoped.table])
    if (!isOfSite || !scoped.on) return scoped
    return { ...scoped, on: OnNode.create(AndNode.create(ParensNode.create(scoped.on.on), isOfSite)) }
  }

  protected override transformWith(node: WithNode, queryId?: QueryId): WithNode {
    for (const { name } of node.expressions) this.#withNames.add(name.table.table.identifier.name)
    return super.transformWith(node, queryId)
  }

  #narrowed(where: WhereNode | undefined, tables: readonly OperationNode[]): { where?: WhereNode } {
    let condition: OperationNode | undefined = where && ParensNode.create(where.where)
    for (const isOfSite of this.#conditions(tables)) {
      condition = condition ? AndNode.create(condition, isOfSite) : isOfSite
    }
    return condition ? { where: WhereNode.create(condition) } : {}
  }

  #conditions(tables: readonly OperationNode[]): ParensNode[] {
    return tables.flatMap((table) => {
      const name = this.#nameOf(table)
      return name === undefined ? [] : [ParensNode.create(this.#isOfSite(name))]
    })
  }

  /** The name or alias of a stored table in the statement; undefined for a subquery, which is scoped by itself. */
  #nameOf(table: OperationNode): TableNode | undefined {
    if (AliasNode.is(table)) {
      const stored = this.#nameOf(table.node)
      return stored && IdentifierNode.is(table.alias) ? TableNode.create(table.alias.name) : undefined
    }
    if (!TableNode.is(table) || this.#withNames.has(table.table.identifier.name)) return undefined
    return TableNode.create(table.table.identifier.name)
  }

  #isOfSite(table: TableNode): OperationNode {
    return BinaryOperationNode.create(
      ReferenceNode.create(siteColumn, table),
      OperatorNode.create('='),
      ValueNode.create(this.#site),
    )
  }
}

const siteColumn = ColumnNode.create('site')
